"""The room of an event's organiser, and what owners of bots ask there."""

from __future__ import annotations

import pytest

from arena.events import EventState
from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from tests.site.organising import client_of, organise, page_of
from tests.site.world import text
from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.bots import presence
from webui.bots.models import Bot
from webui.matches import ending
from webui.matches.models import Match

pytestmark = pytest.mark.django_db


def test_why_a_bot_cannot_enter_is_said(kit: Kit) -> None:
    cup = Organised(kit, 0, entry={"least_games": 3})
    bot = Bot.objects.get(versions=kit.version())
    assert "the event requires 3" in page_of(cup, bot.owner_id)


def test_an_owner_asks_to_be_let_in_late_and_takes_it_back(kit: Kit) -> None:
    cup = Organised(kit, 3, format={"kind": "swiss", "rounds": 2}, entry={"entrants": 8})
    bot = Bot.objects.get(versions=kit.version())
    cup.start()
    client = client_of(bot.owner_id)
    for act in ("ask", "ask-no-more", "ask"):
        assert f'value="{act}"' in page_of(cup, bot.owner_id)
        client.post(f"/events/{cup.slug}/entries/", {"act": act, "bot": bot.slug})
    assert 'value="ask-no-more"' in page_of(cup, bot.owner_id) and 'value="ask"' not in page_of(cup, bot.owner_id)


@pytest.mark.slow
def test_the_organisers_room(kit: Kit) -> None:
    cup = Organised(kit, 3)
    stranger = account_actions.create_user("stranger", None)
    assert "Organiser&#x27;s room" not in page_of(cup, stranger) and "Organiser's room" in page_of(cup, cup.organiser)
    for act in ("freeze", "cancel", "tell", "pause"):
        assert organise(cup, stranger, act, text="x", why="x")[0] == 403
    assert organise(cup, None, "freeze")[1].count("Sign in") and cup.event.state is EventState.OPEN
    organise(cup, cup.organiser, "freeze")
    cup.advance()
    assert "is playing" in page_of(cup, cup.bots[0].owner_id) or "about to begin" in page_of(cup, cup.bots[0].owner_id)
    own = f"/bots/{cup.bots[0].slug}/"
    assert (
        f'/events/{cup.slug}/">{cup.event.terms.name}</a>: Round 1, table'
        in client_of(cup.bots[0].owner_id).get(own).content.decode()
    )
    assert f"/events/{cup.slug}/" not in client_of(stranger).get(own).content.decode()
    organise(cup, cup.organiser, "pause")
    assert cup.event.state is EventState.PAUSED
    organise(cup, cup.organiser, "resume")
    cup.play()
    cup.advance()
    assert "give a reason" in organise(cup, cup.organiser, "rule", game="1-1-0", placements="2 1")[1]
    page = organise(cup, cup.organiser, "rule", game="1-1-0", placements="1 1", why="a bad cable")[1]
    assert cup.event.games[1, 1, 0].placements == (1, 1) and "a bad cable" in page and "½" in page
    assert "ruled by the organiser" in page and "not played" not in page
    (match,) = Match.objects.filter(state="FINISHED")
    assert f"/matches/{match.pk}/" in page
    assert all(f">{seat.score}<" in page for seat in match.participants.all()), "as it was played"
    refused = organise(cup, cup.organiser, "rule", game="1-1-0", placements="1 3", why="x")[1]
    assert "was refused: enter a place for each of the 2 seats, for instance 1 2." in refused
    organise(cup, cup.organiser, "again", round="1", why="the cable again")
    assert (1, 1, 0) not in cup.event.games and (1, 1, 0) not in cup.event.ruled
    organise(cup, cup.organiser, "extend", minutes="7")
    assert cup.event.terms.course.no_show_s == 420
    assert "Changed: how long a table waits for a bot." in page_of(cup) and "7 min at most" in page_of(cup)
    assert "Round 2 begins soon" in organise(cup, cup.organiser, "tell", text="Round 2 begins soon")[1]
    organise(cup, cup.organiser, "disqualify", entrant="2", why="it talked")
    assert cup.event.disqualified == {2} and "disqualified" in page_of(cup)
    organise(cup, cup.organiser, "share", user="stranger")
    assert organise(cup, stranger, "hand-over", user="stranger")[0] == 403
    organise(cup, cup.organiser, "hand-over", user="stranger")
    assert organise(cup, cup.organiser, "cancel", why="rain")[0] == 403
    organise(cup, stranger, "cancel", why="rain")
    cup.advance()
    assert cup.event.state is EventState.CANCELLED and "rain" in page_of(cup)


def test_a_decision_is_looked_at_before_it_is_made(kit: Kit) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 3}, unit="block")
    cup.start()
    cup.play()
    cup.advance()
    before, length = cup.event.standings(None), cup.event.length
    first = before[0].entrant
    client = client_of(cup.organiser)
    where = f"/events/{cup.slug}/organise/"
    said = {"act": "disqualify", "entrant": first, "why": "it talked"}
    page = text(client.post(where + "?preview", said))
    assert cup.event.length == length, "nothing is done yet"
    assert f"1 → <b>{len(before)}</b>" in page and 'value="it talked"' in page
    assert f'name="entrant" value="{first}"' in page and 'name="act" value="disqualify"' in page
    client.post(where, said)
    after = {row.entrant: row for row in cup.event.standings(None)}
    assert (after[first].place, after[first].halves) == (len(before), 0)
    for row in before:
        is_moved = (row.place, row.halves) != (after[row.entrant].place, after[row.entrant].halves)
        listed = f'<th scope="row">{cup.event.entrants[row.entrant - 1].name}</th>'
        assert (listed in page) is is_moved
    assert client_of(cup.bots[0].owner_id).post(where + "?preview", said).status_code == 403
    assert "was refused" in text(client.post(where + "?preview", said, follow=True)), "it is out already"


def test_what_is_decided_on_is_named_with_what_stays_as_it_was_drawn(kit: Kit) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 3}, unit="block")
    cup.start()
    cup.play()
    cup.advance()
    assert len(cup.event.rounds) == 2
    names = [cup.bots[number - 1].name for number in cup.event.rounds[0].tables[0].seats]
    page = page_of(cup, cup.organiser)
    assert f'value="1-1-0">Round 1, table 1, game 1: {", ".join(names)}<' in page
    assert f'value="1-1-1">Round 1, table 1, game 2: {", ".join(names[::-1])}<' in page, "in the order of its seats"
    client, where = client_of(cup.organiser), f"/events/{cup.slug}/organise/?preview"
    said = {"act": "rule", "game": "1-1-1", "placements": "2 1", "why": "x"}
    page = text(client.post(where, said))
    assert f"<b>Round 1, table 1, game 2: 1. {names[0]}, 2. {names[1]}</b>" in page
    assert "Results that count no longer</dt><dd>1</dd>" in page and "1 later round has been drawn already" in page
    page = text(client.post(where, {"act": "again", "game": "1-1-0", "why": "x"}))
    assert f"<b>Round 1, table 1, game 1: {', '.join(names)}</b>" in page and "pairings are never undone" in page
    page = text(client.post(where, {"act": "withdraw", "entrant": "2", "why": "x"}))
    assert f"<b>{cup.bots[1].name}</b>" in page and "later round" not in page


@pytest.mark.parametrize(
    ("act", "arguments", "words"),
    [
        ("dance", {}, "this is unknown"),
        ("disqualify", {"entrant": "2"}, "give a reason"),
        ("disqualify", {"entrant": "two", "why": "x"}, "a number is too small or too large"),
        ("again", {"why": "x"}, "a number is too small or too large"),
        ("again", {"game": "1-1-7", "why": "x"}, "there is no such game"),
        ("rule", {"game": "1-1-0", "placements": "1 2 3", "why": "x"}, "a place for each of the 2 seats"),
        ("extend", {"starts_at": "tomorrow"}, "this time does not exist"),
        ("tell", {"text": " "}, "a text is missing"),
        ("disqualify", {"entrant": "2", "why": "x" * 501}, "a text is missing, too long"),
        ("invite", {}, "something is missing"),
    ],
)
@pytest.mark.parametrize("preview", ["", "?preview"])
def test_what_is_wrong_with_a_decision_is_said(
    kit: Kit, act: str, arguments: dict[str, str], words: str, preview: str
) -> None:
    cup = Organised(kit, 2)
    cup.start()
    length = cup.event.length
    where = f"/events/{cup.slug}/organise/{preview}"
    page = text(client_of(cup.organiser).post(where, {"act": act, **arguments}, follow=True))
    assert f"This was refused: {words}" in page or f"This was refused: enter {words}" in page
    assert cup.event.length == length


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "games"),
    [({"table": "1-2"}, 2), ({"entrant": "1"}, 2), ({"round": "1"}, 4)],
)
def test_whatever_part_of_an_event_is_played_again(kit: Kit, said: dict[str, str], games: int) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 1}, unit="block")
    cup.start()
    organise(cup, cup.organiser, "pause")
    cup.play()
    cup.advance()
    assert len(cup.event.games) == 4
    preview = client_of(cup.organiser).post(
        f"/events/{cup.slug}/organise/?preview", {"act": "again", "why": "x", **said}
    )
    assert f"<dd>{games}</dd>" in text(preview)
    organise(cup, cup.organiser, "again", why="the arena's fault", **said)
    assert len(cup.event.games) == 4 - games and len(cup.event.pairings()) == games


def test_the_organiser_sees_who_is_late_and_why(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    monkeypatch.setattr(presence, "online", lambda: {cup.bots[0].pk: [object()]})
    cup.start()
    match = cup.scheduled()[0]
    ending.abort_match(match, kit.claim(match).epoch, "declined", declined=[2])
    cup.online.pop()
    cup.advance()
    page = page_of(cup, cup.organiser)
    assert f"{cup.bots[1].name} declined 1 offer." in page and "1 of 2" in page
    assert f"Has waited for {cup.bots[1].name} since " in page
    assert "declined" not in page_of(cup)


def test_times_are_entered_in_utc_however_they_were_written(kit: Kit) -> None:
    cup = Organised(kit, 2, course={"starts_at": "2031-01-10T18:00:00+05:00"})
    page = page_of(cup, cup.organiser)
    assert 'value="2031-01-10T13:00"' in page and "18:00" not in page


def test_times_are_moved_and_bots_invited(kit: Kit) -> None:
    cup = Organised(kit, 2)
    organise(
        cup, cup.organiser, "extend", starts_at="2031-05-04T18:30", next_round_at="", every="90", matches_at_once="3"
    )
    course = cup.event.terms.course
    assert (course.starts_at, course.round_every_s, course.matches_at_once) == ("2031-05-04T18:30:00+00:00", 5400, 3)
    page = page_of(cup)
    assert "4 May 2031, 18:30 UTC" in page and "Changed: start, times of rounds, matches at a time." in page
    bot = Bot.objects.get(versions=kit.version())
    organise(cup, cup.organiser, "invite", bot=bot.slug)
    assert "Changed: who may enter." in page_of(cup)
    assert cup.event.terms.entry.invited == (bot.slug,)
    assert "was refused" in organise(cup, cup.organiser, "invite", bot="nobody-knows-it")[1]
    name = "helper"
    helper = account_actions.create_user(name, None)
    organise(cup, cup.organiser, "share", user=name)
    assert account_queries.audit(helper)[0].act == "EVENT_SHARED"
