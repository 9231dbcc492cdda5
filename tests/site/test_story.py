"""The story of a match on its page: verdict, turning points and chances; and the page without its result."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from django.test import Client

from arena.story import Option, TurningKind, TurningPoint, accuracies, evaluate
from tests.kit.ladder import LEASE, Kit, Writer, play_out
from tests.ladder.online import Online
from tests.site.test_play import Table
from tests.site.world import text
from webui.challenges.pairing import advance_challenges
from webui.fair_queue import Busy
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.people.models import Person
from webui.stories import actions as story_actions
from webui.stories import queries as story_queries
from webui.stories.models import Story
from webui.words.cards import turning_words
from webui.words.verdicts import verdict_sentence

pytestmark = pytest.mark.django_db


def with_story(kit: Kit, versions: list[int]) -> str:
    """A match that has finished, with a story of few rollouts."""
    match_id = kit.finish(versions).match_id
    record = match_queries.match_record(match_id)
    assert record and story_actions.write_story(match_id, evaluate(record, rollouts=2))
    return match_id


@pytest.fixture
def told(kit: Kit) -> str:
    """A match of three that has finished, with its story."""
    return with_story(kit, kit.versions(3))


def verdict_of(match_id: str) -> str:
    return verdict_sentence(match_queries.match_page(match_id).line, story_queries.stories([match_id])[match_id])


def test_the_page_tells_the_verdict_and_what_turned_the_match(told: str) -> None:
    page = unescape(text(Client().get(f"/matches/{told}/")))
    assert f'<p class="match-verdict">{verdict_of(told)}</p>' in page
    assert re.search(r'<meta name="description" content="(.*?)"', page)[1].startswith(verdict_of(told))  # type: ignore[index]
    story = story_queries.story(told)
    assert story is not None and 3 <= len(story.turning_points) <= 5
    marks = re.findall(r'<a class="mark-turn seat-(\d)" href="\?d=(\d+)"', page)
    listed = re.findall(r'<li><a class="chapter" href="\?d=(\d+)"', page)
    events = (match_queries.match_record(told) or {})["events"]
    decided = [number for number, event in enumerate(events) if event[0]] + [len(events)]
    after = [decided[decided.index(turn.index) + 1] for turn in story.turning_points]
    assert marks == [(str(turn.seat), str(at)) for turn, at in zip(story.turning_points, after, strict=True)]
    assert listed == [index for _, index in marks], "the page tells of the first decision of the turn"
    assert page.count('class="mark-lead') == story.summary.lead_changes, "the sentence and the timeline agree"


def test_the_verdict_leads_to_what_decided_the_match(told: str) -> None:
    story = story_queries.story(told)
    assert story is not None
    winner = story.summary.winners[0]
    Story.objects.update(decided_by="SOURCE", decided_what="gold")
    page = text(Client().get(f"/matches/{told}/"))
    assert re.search(r'<p class="match-verdict">[^<]*, decided by its gold: \d+ to \d+; ', page)
    assert '<p class="story-lead">' in page and not re.search(r'<p class="story-lead">[^<]*<a', page)
    takes = rf'<a class="mark-capture seat-{winner}" href="\?d=(\d+)"[^>]*aria-label="([^"]* takes (\w+))"'
    taken = {tile: (at, words) for at, words, tile in re.findall(takes, page)}
    tile, (at, words) = taken.popitem()
    Story.objects.update(decided_by="TILE", decided_what=tile)
    page = text(Client().get(f"/matches/{told}/"))
    assert f", decided by one tile, {tile}; " in page and f'<a href="?d={at}" data-step>{words}</a></p>' in page
    assert f'<a href="?d={at}" data-step>' not in text(Client().get(f"/matches/{told}/?spoilers=0"))


@pytest.mark.parametrize("kind", [TurningKind.GAIN, TurningKind.TILE, TurningKind.LEAD])
def test_a_turn_without_points_has_a_sentence_without_a_number(kind: TurningKind) -> None:
    turn = TurningPoint(index=12, until=40, round=1, seat=1, kind=kind, what="E2", gain=-2, swing=0.3)
    assert turning_words(turn, "Vizier") == "Vizier improves its chances"
    assert "3 points" in turning_words(replace(turn, gain=3), "Vizier")


def test_turns_that_changed_chances_alone_say_so_plainly() -> None:
    turn = TurningPoint(index=12, until=40, round=1, seat=1, kind=TurningKind.BID, what="", gain=0, swing=0.3)
    assert turning_words(turn, "Vizier") == "The bids raise the chance of Vizier to win"
    slip = replace(turn, kind=TurningKind.SLIP, swing=-0.3)
    assert turning_words(slip, "Vizier") == "Vizier gains no points, and its chance to win falls"
    assert turning_words(replace(slip, gain=3), "Vizier") == "Vizier gains 3 points, but its chance to win falls"


def test_the_chart_shows_the_chances_too(told: str) -> None:
    client = Client()
    points, chances = (text(client.get(f"/matches/{told}/{asked}")) for asked in ("", "?chart=chance"))
    assert '<option value="chance">' in points and '<option value="chance" selected>' in chances
    assert "100 % " in chances and "100 % " not in points
    drawn = json.loads(re.search(r'data-chances="(.*?)"', points)[1])  # type: ignore[index]
    page = match_queries.match_page(told)
    winner = next(seat.seat for seat in page.line.seats if seat.placement == 1)
    assert [row[winner - 1] for row in drawn[-1:]] == [100] and all(98 <= sum(row) <= 102 for row in drawn)
    assert len(drawn) == 1 + sum(event[0] > 0 for event in (match_queries.match_record(told) or {})["events"])


def test_a_match_without_a_story_has_the_page_as_it_was(kit: Kit) -> None:
    match_id = kit.finish(kit.versions(3)).match_id
    page = text(Client().get(f"/matches/{match_id}/"))
    assert "wins over" in page and 'class="match-verdict"' not in page
    assert "mark-turn" not in page and "chart=chance" not in page
    assert "How it was decided" not in page


def test_a_live_match_asks_for_no_story(kit: Kit, django_assert_num_queries: Any, monkeypatch: Any) -> None:
    claim = kit.claim(kit.match(kit.versions(3)))
    Writer(claim).append(play_out(claim).entries[:60])
    monkeypatch.setattr(story_queries, "story", lambda _: pytest.fail("a story of a live match was asked for"))
    page = text(Client().get(f"/matches/{claim.match_id}/"))
    assert "is-live" in page and "spoilers" not in page
    assert text(Client().get(f"/matches/{claim.match_id}/?spoilers=0")).count("is-live") == page.count("is-live")


def results_of(match_id: str) -> list[str]:
    """What only who knows the result can say."""
    line = match_queries.match_page(match_id).line
    scores = [f">{seat.score}<" for seat in line.seats]
    return [verdict_of(match_id), "wins over", "Final scores", "chances", "mark-turn", "decided", *scores]


@pytest.mark.parametrize("where", ["", "embed"])
def test_an_address_without_the_result_tells_nothing_of_it(told: str, where: str) -> None:
    whole, hidden = (text(Client().get(f"/matches/{told}/{where}{asked}")) for asked in ("", "?spoilers=0"))
    assert "wins over" in whole and "wins over" not in hidden
    found = [words for words in results_of(told) if words in unescape(hidden)]
    assert not found
    if not where:
        assert all(words in unescape(whole) for words in results_of(told) if words != "chances")
        assert 'content="noindex' in hidden and "Show the result" in hidden and "spoilers=0" in whole


def test_it_goes_on_hiding_what_comes_while_one_steps(told: str) -> None:
    client = Client()
    first = text(client.get(f"/matches/{told}/?spoilers=0"))
    assert "Nobody" not in first and first.count('<li class="move') == 0
    steps = re.findall(r'data-step="next"[^>]* href="([^"]+)"', first)
    assert steps == ["?spoilers=0&amp;d=1"]
    later = text(client.get(f"/matches/{told}/?spoilers=0&d=40"))
    moves = [int(index) for index in re.findall(r'href="\?spoilers=0&amp;d=(\d+)" data-step class="move-link"', later)]
    assert (moves == sorted(moves) and moves[-1] == 40) or moves[-1] < 41
    marks = [int(index) for index in re.findall(r'class="mark-\w+ seat-\d" href="\?d=(\d+)"', later)]
    assert all(index <= 41 for index in marks)
    assert not [words for words in results_of(told) if words in unescape(later)]


def test_a_match_whose_bot_forfeited_does_not_say_so_early(kit: Kit, told: str) -> None:
    Match.objects.get(pk=told).participants.filter(seat=2).update(forfeited_at=60, forfeit_reason="STRIKES")
    whole, hidden = (text(Client().get(f"/matches/{told}/{asked}")) for asked in ("", "?spoilers=0"))
    assert "forfeited at 60" in whole and "forfeited at" not in hidden and "Bot 2 forfeited" not in hidden


def test_a_hidden_result_stays_hidden_whatever_is_asked(told: str) -> None:
    Story.objects.update(decided_by="NOTHING", decided_what="")
    Match.objects.filter(pk=told).update(state="VOID", ladder_number=None)
    page = text(Client().get(f"/matches/{told}/"))
    assert 'class="match-verdict"' not in page and "mark-turn" not in page


def test_what_else_could_have_been_done(told: str) -> None:
    record = match_queries.match_record(told) or {}
    first = next(number for number, event in enumerate(record["events"]) if event[1].startswith("take "))
    client = Client()
    page = text(client.get(f"/matches/{told}/?d={first + 1}"))
    link = re.search(rf'href="(/matches/{told}/alternatives/\?d=\d+)" data-alternatives-link', page)
    assert link and link[1].endswith(f"?d={first}")
    answer = text(client.get(link[1]))
    rows = re.findall(r'<tr><th scope="row" title="(take [^"]*)">', answer)
    assert len(rows) == 3 and "±0" in answer and 'content="noindex, nofollow"' in answer
    played = record["events"][first][1]
    assert f"<b>{played.split()[1]} → " in answer, "what was played stands beside them"
    assert answer == text(client.get(link[1]))


def test_where_there_was_no_other_choice_the_last_one_is_named(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.replays.alternatives.alternatives", lambda *_: [])
    last = len((match_queries.match_record(told) or {})["events"]) - 1
    page = text(Client().get(f"/matches/{told}/alternatives/?d={last}"))
    link = re.search(r"There was no other choice\. <a href=\"\?d=(\d+)\">What (.*) could have done at (\d+)</a>", page)
    assert link and link[1] == link[3] and int(link[1]) < last
    monkeypatch.undo()
    assert "Points more" in text(Client().get(f"/matches/{told}/alternatives/?d={link[1]}"))
    assert (
        "<a" not in text(Client().get(f"/matches/{told}/alternatives/?d=0")).split("There was no other choice")[-1][:4]
    )


def test_alternatives_are_computed_once(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def counted(*arguments: Any) -> list[Option]:
        asked.append(arguments)
        return [Option(("bid 1",), 1.25, 0.3), Option(("bid 2",), -0.04, 0.5)]

    monkeypatch.setattr("webui.replays.alternatives.alternatives", counted)
    client = Client()
    for _ in range(3):
        page = text(client.get(f"/matches/{told}/alternatives/?d=0"))
        assert "<b>+1.2</b>" in page and "±0.0" in page
    assert len(asked) == 1


def test_nobody_asks_for_alternatives_all_the_time(told: str, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "alternatives": "3/d/ip"}
    monkeypatch.setattr("webui.replays.alternatives.alternatives", lambda *_: [])
    codes = [Client().get(f"/matches/{told}/alternatives/?d=0").status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]


def test_alternatives_of_a_busy_site_and_of_what_is_not_public(
    kit: Kit, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    claim = kit.claim(kit.match(kit.versions(3)))
    Writer(claim).append(play_out(claim).entries[:60])
    last = len((match_queries.match_record(told) or {})["events"])
    for nothing in (f"{claim.match_id}/alternatives/?d=0", f"{told}/alternatives/?d={last}", f"{told}/alternatives/"):
        assert client.get(f"/matches/{nothing}").status_code == 404
    monkeypatch.setattr("webui.replays.alternatives.cached_once", lambda *_, **__: (_ for _ in ()).throw(Busy()))
    busy = client.get(f"/matches/{told}/alternatives/?d=0")
    assert busy.status_code == 503 and busy["Retry-After"] == "2" and "Ask again" in text(busy)


def test_the_page_says_how_many_points_the_sowings_cost_each_seat(told: str) -> None:
    story = story_queries.story(told)
    assert story is not None and {loss.seat for loss in story.losses} == {1, 2, 3}
    page = unescape(text(Client().get(f"/matches/{told}/")))
    table = page.partition('<table class="data-table accuracy-table">')[2].partition("</table>")[0]
    assert table.count("<tr>") == 4 and "0 is best" in page
    for each in filter(None, accuracies(story.losses, 3)):
        costliest = max((loss for loss in story.losses if loss.seat == each.seat), key=lambda loss: loss.points)
        assert f"<b>{max(0, each.points):.1f}</b>" in table
        assert costliest.points < 1 or f'href="/matches/{told}/alternatives/?d={costliest.index}"' in table
    assert "accuracy-table" not in text(Client().get(f"/matches/{told}/?spoilers=0"))


def test_a_story_of_the_first_evaluator_has_no_accuracy(told: str) -> None:
    row = Story.objects.get()
    document = json.loads(zlib.decompress(bytes(row.packed)))
    del document["losses"]
    Story.objects.update(packed=zlib.compress(json.dumps(document).encode()))
    page = text(Client().get(f"/matches/{told}/"))
    assert "How it was decided" in page and "accuracy-table" not in page


def test_after_a_game_a_person_sees_what_each_sowing_cost(kit: Kit) -> None:
    table = Table(kit)
    table.sit_down()
    person = Person.objects.latest("version")
    advance_challenges([Online(table.house), Online(person.version_id, capacity=1)], 8)
    claim = kit.claim(Match.objects.get(participants__version=person.version_id).pk)
    played = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    where = f"/play/{claim.match_id}/"
    page = text(table.client.get(where))
    assert "Your game is over" in page and "accuracy follows" in page
    story_actions.write_story(claim.match_id, evaluate(played.document, rollouts=2))
    story = story_queries.story(claim.match_id)
    assert story is not None
    own = next(seat.seat for seat in claim.seats if seat.bot_id != table.bot)
    page = unescape(text(table.client.get(where)))
    rows = page.partition('<ol class="lost-points">')[2].partition("</ol>")[0]
    asked = re.findall(rf'href="/matches/{claim.match_id}/alternatives/\?d=(\d+)"', rows)
    assert "accuracy follows" not in page and asked == [str(one.index) for one in story.losses if one.seat == own]
    assert len(asked) >= 3 and "→" in rows and "What else?" in rows
