"""People at tables: sitting down, deciding in the browser, and what stays hidden from them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import pytest
from django.test import Client

from arena.players import GRADED
from arena.referee import Clock, Entry, Kind, Policy
from arena.rules import Game, Ruleset, State, match_seed, score, view
from arena.story import Option
from tests.kit.ladder import Kit, Writer
from tests.ladder.online import Online
from tests.site.world import PASSWORD, sign_in
from webui.accounts import actions as account_actions
from webui.accounts import erasure
from webui.accounts.values import Actor
from webui.board.choices import path_of
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges.models import Challenge, ChallengeTerms
from webui.challenges.pairing import advance_challenges
from webui.challenges.values import WantedSeat
from webui.commands.house import ensure_house_bots
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.ladders.games import ensure_ladder
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, SeatRow
from webui.matches.values import MatchClaim
from webui.people import actions as people_actions
from webui.people import desk
from webui.people.models import Person, PersonAnswer
from webui.people.seen import SeatLoader
from webui.people.values import Visitor
from webui.ratings.models import Fit, PublishedRating
from webui.replays.single import one_at_a_time

pytestmark = pytest.mark.django_db

PAGES = ("frames.json", "choices.json", "hints.json", "")


class Table:
    """A guest who plays against a house bot, in a match that a test carries on as a worker does."""

    def __init__(self, kit: Kit, *, deal: bytes | None = None) -> None:
        self.kit = kit
        self.client = Client()
        keeper = account_actions.create_user(f"keeper{kit.bots}", None)
        self.house = kit.version(owner=keeper, is_house=True)
        self.bot = BotVersion.objects.get(pk=self.house).bot_id
        self.deal = deal

    def sit_down(self, client: Client | None = None, **more: Any) -> str:
        """Sit down, and return the address of the table."""
        answer = (client or self.client).post("/play/", {"opponents": [self.bot], "clock": "none", **more})
        assert answer.status_code == 302, answer.content
        return answer.url

    def begin(self, server_seed: bytes | None = None) -> None:
        """Make the match, and begin it as a worker does."""
        person = Person.objects.latest("version")
        advance_challenges([Online(self.house), Online(person.version_id, capacity=1)], 8)
        match = Match.objects.get(participants__version=person.version_id)
        if server_seed is not None:
            secret = match.secret
            secret.server_seed, secret.deal = server_seed.hex(), (self.deal or b"").hex()
            secret.save()
        self.claim: MatchClaim = self.kit.claim(match.pk)
        self.writer = Writer(self.claim)
        nonces = [bytes([seat.seat]) * 16 for seat in self.claim.seats]
        self.game = Game(self.claim.ruleset, match_seed(self.claim.server_seed, nonces), self.claim.deal)
        hashes = [Entry(i, Kind.COMMIT, i + 1, sha256(nonce).hexdigest()) for i, nonce in enumerate(nonces)]
        revealed = [Entry(len(hashes) + i, Kind.READY, i + 1, nonce.hex()) for i, nonce in enumerate(nonces)]
        self.length = 0
        self._write([*hashes, *revealed])
        self.path = f"/play/{self.claim.match_id}/"

    def play(self, action: str) -> None:
        """Play a decision of the seat to act."""
        self._write(
            [
                Entry(self.length + number, Kind.DECISION if event.seat else Kind.CHANCE, event.seat, event.text)
                for number, event in enumerate(self.game.play(action))
            ]
        )

    def play_until_asked(self, draw: random.Random) -> None:
        """Play for the house until the guest, who has seat 1, is asked."""
        while self.game.state.to_act != 1:
            self.play(draw.choice([action.text for action in self.game.state.legal]))

    def choices(self, *after: str) -> dict[str, Any]:
        found: dict[str, Any] = self.tried(*after).json()
        return found

    def tried(self, *after: str) -> Any:
        """Ask what is legal after the start of a sowing, and return the answer."""
        return self.client.get(f"{self.path}choices.json", {"after": after} if after else None)

    def play_until_move(self) -> None:
        """Play until the guest, who has seat 1, is asked for a move."""
        while self.game.state.phase == "bid" or self.game.state.to_act != 1:
            self.play([action.text for action in self.game.state.legal][-1])

    def hints(self, client: Client | None = None) -> Any:
        """Ask for hints, and return the answer."""
        return (client or self.client).get(f"{self.path}hints.json")

    def shown(self, page: str) -> str:
        """Return a page without what is public and differs by design: names, ids, addresses, times."""
        text = self.client.get(f"{self.path}{page}").content.decode()
        assert self.claim.server_seed.hex() not in text
        text = text.replace(self.claim.match_id, "MATCH").replace(self.claim.commitment, "COMMITMENT")
        for seat in self.claim.seats:
            slug = Bot.objects.get(pk=seat.bot_id).slug
            text = text.replace(seat.bot, f"NAME {seat.seat}").replace(slug, f"name-{seat.seat}")
        return re.sub(r'value="\w{64}"', "TOKEN", text)

    def answer(self, index: object, action: object, client: Client | None = None) -> Any:
        """Send a decision, and return the answer."""
        return self.answer_all(index, [action], client)

    def answer_all(self, index: object, decisions: list[Any], client: Client | None = None) -> Any:
        """Send the decisions of a sowing, and return the answer."""
        body = json.dumps({"index": index, "actions": decisions})
        return (client or self.client).post(f"{self.path}answer", body, content_type="application/json")

    def _write(self, entries: list[Entry]) -> None:
        self.writer.append(entries, lease_s=86_400)
        self.length += len(entries)


@pytest.fixture
def table(kit: Kit) -> Table:
    table = Table(kit)
    table.sit_down()
    table.begin()
    return table


def test_a_guest_sits_down_once_and_finds_the_table_again(kit: Kit) -> None:
    table = Table(kit)
    first = table.sit_down()
    assert table.sit_down() == first, "a request that is sent twice makes one table"
    assert (Challenge.objects.count(), Person.objects.count()) == (1, 1)
    assert first in table.client.get("/play/").content.decode()
    stranger = Client()
    assert stranger.get(first).status_code == 404
    assert table.sit_down(stranger) != first
    assert table.client.post(first).status_code == 302
    assert Challenge.objects.get(pk=first.split("/")[2]).state == "WITHDRAWN"


def test_the_person_is_no_bot_on_any_list(table: Table) -> None:
    person = Bot.objects.get(is_person=True)
    for page in ("/bots/", "/api/v1/bots"):
        assert person.name not in table.client.get(page).content.decode()
    assert table.client.get(f"/bots/{person.slug}/").status_code == 404
    assert not table.claim.seats[0].is_house and table.claim.seats[0].is_person
    match = Match.objects.get(pk=table.claim.match_id)
    assert not match.rated and match.policy == Policy(), "bots have as many strikes as elsewhere"


def test_every_legal_action_is_offered_and_no_other_one(table: Table) -> None:
    draw = random.Random(7)
    asked = 0
    while asked < 40:
        table.play_until_asked(draw)
        told = table.choices()
        legal = [action.text for action in table.game.state.legal]
        assert [choice["text"] for choice in told["choices"]["actions"]] == legal
        assert told["index"] == len(table.game.events)
        table.play(draw.choice(legal))
        asked += 1


def test_who_is_not_asked_is_offered_nothing(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    while table.game.state.to_act == 1:
        table.play([action.text for action in table.game.state.legal][-1])
    assert table.choices() == {"index": None, "choices": None}
    assert table.answer(len(table.game.events), "end").status_code == 409


def test_a_decision_is_stored_once_whatever_is_sent_again(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    index, legal = len(table.game.events), [action.text for action in table.game.state.legal]
    assert table.answer(index, legal[0]).status_code == 204
    assert table.answer(index, legal[0]).status_code == 204, "a double click"
    refused = table.answer(index, legal[1])
    assert refused.status_code == 409 and "decision was made already" in refused.json()["why"]
    assert PersonAnswer.objects.get().action == legal[0]
    decision = (table.claim.match_id, 1, index)
    assert desk.look("gateway", [decision])[1] == {decision: legal[0]}
    table.play(legal[0])
    assert table.answer(index, legal[0]).status_code == 204, "it has arrived long since"
    assert table.answer(index, legal[1]).status_code == 409, "another tab is older than the game"


def sowing_of(state: State) -> list[str]:
    """The decisions of a sowing, the first legal one each time."""
    decisions = []
    while state.phase in ("move", "sow"):
        action = next(action for action in state.legal if action.text.startswith(("take", "drop")))
        decisions.append(action.text)
        state = state.play(action)
    return decisions


def test_a_sowing_is_tried_out_drop_by_drop_and_nothing_is_stored(table: Table) -> None:
    table.play_until_move()
    state, first = table.game.state, table.choices()
    take, *drops = sowing_of(state)
    assert all(each["goes_on"] == each["text"].startswith("take ") for each in first["choices"]["actions"])
    tried: list[str] = []
    for action in (take, *drops[:-1]):
        state = state.play(state.parse(action))
        tried.append(action)
        told = table.choices(*tried)
        assert told["index"] == first["index"] == len(table.game.events)
        assert [each["text"] for each in told["choices"]["actions"]] == [each.text for each in state.legal]
        in_hand = len(view(state, 1).turn.hand or "")
        assert {each["goes_on"] for each in told["choices"]["actions"]} == {in_hand > 1}
        assert len(told["choices"]["held"]["drawings"]) == in_hand
        assert f'data-part="tile-{action.split(" ")[1]}"' in told["parts"][f"tile-{action.split(' ')[1]}"]
        kinds = {kind for kind, *_ in told["motions"]}
        assert kinds == ({"pick"} if action == take else {"carry", "drop"})
    assert table.choices() == first, "nothing has happened"
    assert not PersonAnswer.objects.exists()


def test_only_a_sowing_is_tried_out_and_not_its_last_drop(table: Table) -> None:
    while table.game.state.to_act != 1:
        table.play("bid 7")
    assert table.tried("bid 1").status_code == 409, "the next bid is another seat's"
    table.play_until_move()
    whole = sowing_of(table.game.state)
    for after in (whole, ["take Z9"], ["end"], [whole[0], "no such verb"], [whole[1]]):
        refused = table.tried(*after)
        assert refused.status_code == 409 and "The rules do not allow this" in refused.json()["why"], after


def test_a_whole_sowing_is_stored_at_once_and_only_once(table: Table) -> None:
    table.play_until_move()
    index, whole = len(table.game.events), sowing_of(table.game.state)
    assert table.answer_all(index, [*whole[:-1], "drop Z9 r"]).status_code == 409
    assert table.answer_all(index, [whole[-1], *whole]).status_code == 409
    assert not PersonAnswer.objects.exists(), "all or nothing"
    for _ in range(2):
        assert table.answer_all(index, whole).status_code == 204
    stored = PersonAnswer.objects.order_by("index").values_list("index", "action")
    assert list(stored) == list(enumerate(whole, index))
    assert table.choices() == {"index": None, "choices": None}, "the decision is made, and on its way"
    asked = [(table.claim.match_id, 1, index + number) for number in range(len(whole))]
    assert desk.look("gateway", asked)[1] == dict(zip(asked, whole, strict=True))
    for number, action in enumerate(whole):
        assert table.answer(index + number, action).status_code == 204
        table.play(action)
        assert table.answer_all(index, whole).status_code == 204, "it is sent again while the game goes on"
    assert table.answer_all(index, [*whole[:1], "drop A1 r"]).status_code == 409


@pytest.mark.parametrize(
    ("index", "action", "status", "words"),
    [
        (None, "bid 99", 409, "99"),
        (None, "drop A1 r", 409, "rules do not allow"),
        (None, "no such verb", 409, "rules do not allow"),
        (0.5, "bid 1", 400, "cannot be read"),
        (-1, "bid 1", 400, "cannot be read"),
        (10**9, "bid 1", 400, "cannot be read"),
        (True, "bid 1", 400, "cannot be read"),
        (None, ["bid 1"], 400, "cannot be read"),
        (None, "bid 1" + " " * 2000, 400, "cannot be read"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_sentence(
    table: Table, index: object, action: object, status: int, words: str
) -> None:
    table.play_until_asked(random.Random(1))
    answer = table.answer(len(table.game.events) if index is None else index, action)
    assert (answer.status_code, words in answer.json()["why"]) == (status, True), answer.content
    assert not PersonAnswer.objects.exists()


def test_the_question_stays_while_the_match_waits_for_another_worker(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    asked = table.choices()
    ownership.release(table.claim.match_id, table.claim.epoch)
    assert asked["index"] == len(table.game.events)
    assert table.choices() == asked
    action = next(iter(table.game.state.legal)).text
    assert table.answer(asked["index"], action).status_code == 204


def test_nobody_else_sits_there(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    stranger = Client()
    for page in ("", "frames.json", "choices.json", "hints.json"):
        assert stranger.get(f"{table.path}{page}").status_code == 404
    action = next(iter(table.game.state.legal)).text
    assert table.answer(len(table.game.events), action, stranger).status_code == 404
    assert stranger.post(f"{table.path}leave").status_code == 404
    forged = Client(headers={"cookie": f"guest={'A' * 43}"})
    assert forged.get(table.path).status_code == 404


@pytest.mark.slow
def test_two_games_that_differ_in_what_is_hidden_from_the_seat_look_the_same(kit: Kit) -> None:
    """The deal is the same. What lies in the piles, and so what the other seat draws, follows from another seed."""
    tables = [Table(kit, deal=bytes(range(32))) for _ in range(2)]
    for table, seed in zip(tables, (b"\x01" * 32, b"\x02" * 32), strict=True):
        table.sit_down()
        table.begin(seed)
    one, two = (table.game for table in tables)
    assert one.state.deck != two.state.deck, "there is something to hide"
    draw, compared = random.Random(5), 0
    while view(one.state, 1) == view(two.state, 1):
        choice = draw.choice([action.text for action in one.state.legal])
        if choice not in [action.text for action in two.state.legal]:
            break
        for table in tables:
            table.play(choice)
        if len(one.events) % 5 == 0 and view(one.state, 1) == view(two.state, 1):
            first, second = ([table.shown(page) for page in PAGES] for table in tables)
            assert first == second
            compared += 1
    assert compared >= 3, "the two games parted too early to prove anything"
    rows = SeatRow.objects.filter(match=tables[0].claim.match_id)
    assert rows.count() == sum(event.seat > 0 for event in one.events) + 1
    assert not rows.exclude(viewer=1).exists(), "no bot's view is kept"


def test_hints_are_choices_that_can_be_played(table: Table) -> None:
    draw = random.Random(3)
    for _ in range(3):
        table.play_until_asked(draw)
        state = table.game.state
        told = table.hints().json()
        assert told["index"] == len(table.game.events)
        assert 1 <= len(told["hints"]) <= 3
        assert told["hints"][0]["points"] == "looks best"
        for hint in told["hints"]:
            after = state
            for action in hint["actions"]:
                after = after.play(after.parse(action))
            assert hint["words"] and hint["path"] == [step for text in hint["actions"] for step in path_of(text)]
        assert table.hints().json() == told
        table.play(draw.choice([action.text for action in state.legal]))


def test_hints_say_how_much_less_the_others_promise(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.play_until_asked(random.Random(1))
    judged = [Option(("bid 1",), 0.0, 0.0), Option(("bid 2",), -1.25, 1.5), Option(("bid 3",), -4.5, 1.0)]
    monkeypatch.setattr("webui.people.hints.hints", lambda *_: judged)
    told = table.client.get(f"{table.path}hints.json", headers={"accept-language": "de"}).json()["hints"]
    assert [hint["points"] for hint in told] == [
        "looks best",
        "1.2 ± 1.5 points less: perhaps as good",
        "4.5 ± 1.0 points less",
    ]


def test_hints_are_for_who_is_asked_and_only_so_often(table: Table, settings: Any) -> None:
    table.play_until_asked(random.Random(1))
    while table.game.state.to_act == 1:
        table.play([action.text for action in table.game.state.legal][-1])
    assert table.hints().json() == {"index": None, "hints": []}
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "alternatives": "2/d/ip"}
    assert [table.hints().status_code for _ in range(3)] == [200, 200, 429]


def test_a_busy_site_gives_hints_later(table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table.play_until_asked(random.Random(1))
    monkeypatch.setattr("webui.people.hints.WAIT_S", 0.0)
    with one_at_a_time(settings.PLACES.frames / "alternatives-lock", 60.0, "another address"):
        answer = table.hints()
    assert answer.status_code == 503 and answer["Retry-After"] == "2"
    monkeypatch.undo()
    assert table.hints().json()["hints"]


def test_choices_say_what_they_bring_at_once(table: Table) -> None:
    """A bid costs what its spot says. The page counts with a game that it makes up, so the true game is the measure."""
    while table.game.state.to_act != 1:
        table.play("bid 7")
    bids = {action["text"]: action["gain"] for action in table.choices()["choices"]["actions"]}
    assert bids == {f"bid {spot}": -price for spot, price in enumerate((18, 12, 8, 5, 3, 1, 0), 1)}
    draw, known = random.Random(11), 0
    for _ in range(40):
        table.play_until_asked(draw)
        state = table.game.state
        for action in table.choices()["choices"]["actions"]:
            if action["gain"] is not None:
                after = state.play(state.parse(action["text"]))
                assert action["gain"] == score(after, 1)["total"] - score(state, 1)["total"], action
                known += bool(action["gain"])
        table.play(draw.choice([action.text for action in state.legal]))
    assert known > 20


def test_the_form_shows_whom_a_beginner_may_choose(kit: Kit) -> None:
    """House bots stand first, weakest first, and each bot has its description and its rating."""
    owner = account_actions.create_user("zoe", PASSWORD)
    bot = bot_actions.register_bot(owner, "Aardvark", description="Digs <deep>.")
    ChallengeTerms.objects.create(bot_id=bot, accepts="ALL")
    ensure_house_bots()
    fit = Fit.objects.create(ladder=ensure_ladder(Ruleset(2), Clock(60_000, 1_000, 10_000)), finished=3)
    for number, points in ((1, 1100.0), (2, 1234.4)):
        PublishedRating.objects.create(
            fit=fit, version_id=bot_actions.register_version(bot, f"{number}.0"), finished=3, is_current=True,
            points=points, low=points - 30, high=points + 30, games=3, forfeits=0, trend=[],
        )  # fmt: skip
    page = Client().post("/play/").content.decode()  # nobody is online, so only a form with a fault is shown
    names = re.findall(r'<label for="id_opponents_\d+">(.*?) \(offline\)</label>', page)
    assert names == [*(player.replace("-", " ").title() for player in GRADED), "Aardvark"]
    assert "plays any legal action, each as likely" in page
    assert "Digs &lt;deep&gt;. · Rated 1234 ± 30: 2 players · 60 s + 1 s." in page


def test_who_gives_up_is_played_on_for_and_may_sit_down_elsewhere(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    decision = (table.claim.match_id, 1, len(table.game.events))
    assert desk.look("gateway", [decision])[1] == {}
    assert table.client.post(f"{table.path}leave").url == "/play/"
    assert desk.look("gateway", [decision])[1] == {decision: ""}
    assert table.sit_down() != table.path


def give_up(table: Table) -> None:
    """Give up by the button."""
    table.client.post(f"{table.path}leave")


def stay_away(table: Table) -> None:
    """Be away for so long that the gateway gives up for the person, and come back."""
    Person.objects.update(seen_at=before_now(desk.GONE_S + 1))
    decision = (table.claim.match_id, 1, len(table.game.events))
    assert desk.look("gateway", [decision])[1] == {decision: desk.GIVEN_UP}
    table.client.get(table.path)


def forfeit(table: Table) -> None:
    """Forfeit as the referee tells the gateway, for whatever reason."""
    desk.look("gateway", [], [(Person.objects.get().pk, table.claim.match_id)])


@pytest.mark.parametrize("lose", [give_up, stay_away, forfeit])
def test_for_whom_the_game_is_over_decides_nothing_any_more(table: Table, lose: Callable[[Table], None]) -> None:
    table.play_until_asked(random.Random(1))
    played, action = len(table.game.events), next(iter(table.game.state.legal)).text
    assert table.answer(played, action).status_code == 204
    table.play(action)
    table.play_until_asked(random.Random(1))
    follower = SeatLoader(match_queries.match_page(table.claim.match_id).line, 1)
    assert not follower.is_closed()
    lose(table)
    asked, legal = len(table.game.events), next(iter(table.game.state.legal)).text
    assert table.choices() == {"index": None, "choices": None}
    assert table.hints().json() == {"index": None, "hints": []}
    refused = table.answer(asked, legal)
    assert refused.status_code == 409 and "game is over for you" in refused.json()["why"]
    assert table.answer(played, action).status_code == 204, "it was played, so sending it again changes nothing"
    assert PersonAnswer.objects.count() == 1
    decision = (table.claim.match_id, 1, asked)
    assert desk.look("gateway", [decision])[1] == {decision: desk.GIVEN_UP}
    page = table.client.get(table.path).content.decode()
    assert "The game is over for you" in page and "data-seat-played" not in page
    assert follower.is_closed(), "pages that are open learn of it"
    assert table.sit_down() != table.path


def test_a_decision_before_giving_up_is_still_played(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    index, action = len(table.game.events), next(iter(table.game.state.legal)).text
    assert table.answer(index, action).status_code == 204
    give_up(table)
    decision = (table.claim.match_id, 1, index)
    assert desk.look("gateway", [decision])[1] == {decision: action}


def test_after_the_end_the_table_offers_a_rematch(table: Table) -> None:
    ending.abort_match(table.claim.match_id, table.claim.epoch, "NO_ANSWER")
    page = table.client.get(table.path).content.decode()
    assert "Nobody is to blame" in page
    assert f'name="opponents" value="{table.bot}"' in page and 'name="clock" value="none"' in page
    assert table.sit_down() != table.path
    assert not SeatRow.objects.exists()
    refused = table.answer(0, "bid 1")
    assert refused.status_code == 409 and "game is over for you" in refused.json()["why"]


def test_the_games_of_a_guest_become_those_of_the_account(table: Table) -> None:
    user = account_actions.create_user("nora", PASSWORD)
    sign_in(table.client, user)
    assert table.client.get(table.path).status_code == 200
    assert table.path in table.client.get("/play/").content.decode()
    person = Person.objects.get()
    assert (person.user_id, person.guest) == (user, None)
    erasure.erase_account(user)
    person.refresh_from_db()
    assert person.user_id is None


DAY = 86_400.0


def grow_old(seconds: float) -> None:
    """Let everything of people be so many seconds old."""
    then = before_now(seconds)
    Person.objects.update(seen_at=then)
    Match.objects.exclude(finished_at=None).update(finished_at=then)
    Challenge.objects.update(created_at=then)
    Bot.objects.filter(is_person=True).update(created_at=then)
    BotVersion.objects.filter(bot__is_person=True).update(created_at=then)


def test_a_guest_goes_a_day_after_the_last_game_and_the_match_stays(table: Table) -> None:
    guest = table.claim.seats[0].bot
    grow_old(DAY + 60)
    subjects.let_go()
    assert Person.objects.exists(), "the game still runs"
    ending.abort_match(table.claim.match_id, table.claim.epoch, "NO_ANSWER")
    subjects.let_go()
    assert Person.objects.exists(), "the game has just ended"
    grow_old(DAY - 60)
    subjects.let_go()
    assert table.client.get(table.path).status_code == 200
    grow_old(DAY + 60)
    assert subjects.let_go()["guests"] == 1
    assert not Person.objects.exists() and table.client.get(table.path).status_code == 404
    seats = match_queries.match_page(table.claim.match_id).line.seats
    assert next(seat.version.bot.name for seat in seats) == guest and guest.startswith("Guest ")
    assert table.sit_down() != table.path, "the same browser is a new guest"
    assert Bot.objects.filter(is_person=True).count() == 2


def test_a_guest_without_a_match_goes_altogether(kit: Kit) -> None:
    table = Table(kit)
    table.client.post(table.sit_down())
    grow_old(DAY + 60)
    gone = subjects.let_go()
    assert {name: gone[name] for name in ("guests", "versions of guests", "bots of guests")} == {
        "guests": 1, "versions of guests": 1, "bots of guests": 1,
    }  # fmt: skip
    assert not Challenge.objects.exists() and not Bot.objects.filter(is_person=True).exists()
    assert Bot.objects.get().pk == table.bot


def test_people_of_accounts_stay(table: Table) -> None:
    sign_in(table.client, account_actions.create_user("nora", PASSWORD))
    table.client.get(table.path)
    ending.abort_match(table.claim.match_id, table.claim.epoch, "NO_ANSWER")
    grow_old(400 * DAY)
    subjects.let_go()
    assert table.client.get(table.path).status_code == 200


def log_in(client: Client, name: str) -> None:
    """Sign in by the form of the site."""
    answer = client.post("/sign-in/", {"login": name, "password": PASSWORD})
    assert answer.status_code == 302, answer.content


def test_the_game_of_a_guest_goes_on_in_an_account_that_has_played_before(kit: Kit) -> None:
    user = account_actions.create_user("nora", PASSWORD)
    version = kit.version(owner=people_actions.owner_id())
    first = Person.objects.create(version_id=version, user_id=user)
    table = Table(kit)
    table.sit_down()
    table.begin()
    table.play_until_asked(random.Random(1))
    index, action = len(table.game.events), next(iter(table.game.state.legal)).text
    log_in(table.client, "nora")
    assert table.answer(index, action).status_code == 404, "the open page is the guest's, and is loaded again"
    assert 'data-seat-played="1"' in table.client.get(table.path).content.decode()
    assert table.answer(index, action).status_code == 204
    assert table.path in table.client.get("/play/").content.decode()
    assert table.sit_down() == table.path
    assert set(Person.objects.values_list("user", "guest")) == {(user, None)}
    assert table.client.post(f"{table.path}leave").status_code == 302
    first.refresh_from_db()
    assert first.left == "", "only the person who sat there has left"
    assert table.sit_down() != table.path
    assert Challenge.objects.latest("created_at").seats.get(seat=1).version_id == first.pk


def test_an_account_that_plays_itself_finds_both_tables(kit: Kit) -> None:
    table, user = Table(kit), account_actions.create_user("nora", PASSWORD)
    at_home = Client()
    log_in(at_home, "nora")
    tables = [table.sit_down(at_home), table.sit_down()]
    log_in(table.client, "nora")
    page = table.client.get("/play/").content.decode()
    assert all(address in page for address in tables)
    assert all(table.client.get(address).status_code == 200 for address in tables)
    assert Person.objects.filter(user=user).count() == 2


def test_one_gateway_at_a_time_holds_a_person(table: Table) -> None:
    person = Person.objects.get()
    assert [held.version_id for held in desk.look("one", [])[0]] == [person.pk]
    assert desk.look("two", [])[0] == []
    desk.leave("one")
    assert [held.version_id for held in desk.look("two", [])[0]] == [person.pk]


def test_a_table_that_waits_looks_again_until_it_is_given_up(kit: Kit) -> None:
    table = Table(kit)
    path = table.sit_down()
    waiting = table.client.get(path).content.decode()
    assert 'data-waits="WAITING"' in waiting and '<noscript><meta http-equiv="refresh"' in waiting
    table.client.post(path)
    ended = table.client.get(path).content.decode()
    assert "You have given up this table." in ended
    assert "data-waits" not in ended and 'http-equiv="refresh"' not in ended


def test_tables_with_people_take_no_places_of_challenges(kit: Kit) -> None:
    """With room for two matches on the ladders, one challenge may be in flight."""
    house = kit.version(owner=account_actions.create_user("keeper", None), is_house=True)
    bot = BotVersion.objects.get(pk=house).bot_id
    for number in "ab":
        people_actions.sit_down(Visitor(None, 64 * number), [bot], (), "none")
    owner = account_actions.create_user("nora", None)
    own = BotVersion.objects.get(pk=kit.version(owner=owner)).bot_id
    challenge_actions.challenge(owner, [WantedSeat(own), WantedSeat(bot)])
    advance_challenges([Online(version, capacity=8) for version in BotVersion.objects.values_list("pk", flat=True)], 2)
    assert list(Challenge.objects.values_list("state", flat=True)) == 3 * ["MATCHED"]


def test_a_table_is_refused_with_a_sentence(kit: Kit) -> None:
    table = Table(kit)
    many = [BotVersion.objects.get(pk=kit.version(is_house=True)).bot_id for _ in range(5)]
    for wanted, words in (([], "at least one opponent"), (many, "at most five seats"), (many[:4], "Whims or Artisans")):
        answer = table.client.post("/play/", {"opponents": wanted, "clock": "none"})
        assert answer.status_code == 422 and words in answer.content.decode()
    assert table.client.post("/play/", {"opponents": [table.bot], "clock": "5"}).status_code == 422
    assert not Challenge.objects.exists()


def hosted_online(bot: int, places: int) -> dict[int, list[Any]]:
    """Return what the bus says of a house bot that a runner with so many places plays."""
    return {bot: [Online(bot, capacity=places, gateway="runner", places=places)]}


def test_a_full_arena_says_so_and_what_to_do(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(kit)
    monkeypatch.setattr(people_actions, "TABLES_OF_GUESTS", 1)
    kit.host(table.house)
    monkeypatch.setattr("webui.bots.presence.online", lambda: hosted_online(table.bot, 2))
    table.sit_down()
    answer = Client().post("/play/", {"opponents": [table.bot], "clock": "none"})
    assert answer.status_code == 409 and "Sign in to sit down now" in answer.content.decode()
    nora = Client()
    sign_in(nora, account_actions.create_user("nora", PASSWORD))
    answer = nora.post("/play/", {"opponents": [table.bot], "clock": "none"})
    assert answer.status_code == 409 and "Choose fewer opponents, or try again" in answer.content.decode()
    monkeypatch.setattr("webui.bots.presence.online", lambda: hosted_online(table.bot, 4))
    table.sit_down(nora)
    monkeypatch.setattr(people_actions, "MOST_TABLES", 2)
    sign_in(nora, account_actions.create_user("nils", PASSWORD))
    answer = nora.post("/play/", {"opponents": [table.bot], "clock": "none"})
    assert answer.status_code == 409 and "All tables for people are taken" in answer.content.decode()


def test_who_is_not_seen_for_long_has_given_up_and_waits_for_no_table(table: Table) -> None:
    table.play_until_asked(random.Random(1))
    decision = (table.claim.match_id, 1, len(table.game.events))
    people = Person.objects.all()
    people.update(seen_at=before_now(desk.GONE_S - 5))
    assert desk.look("gateway", [decision])[1] == {}
    people.update(seen_at=before_now(desk.GONE_S + 1))
    table.choices()
    assert desk.look("gateway", [decision])[1] == {}, "the browser is there again in time"
    people.update(seen_at=before_now(desk.GONE_S + 1))
    assert desk.look("gateway", [decision])[1] == {decision: desk.GIVEN_UP}
    ending.abort_match(table.claim.match_id, table.claim.epoch, "NO_ANSWER")
    table.sit_down()
    assert len(desk.look("gateway", [])[0]) == 1
    people.update(seen_at=before_now(desk.LEFT_WAITING_S + 1))
    assert desk.look("gateway", [])[0] == []


def test_bots_of_others_play_people_with_a_short_clock(kit: Kit) -> None:
    table = Table(kit)
    owner = account_actions.create_user("rona", None)
    rival = BotVersion.objects.get(pk=kit.version(owner=owner)).bot_id
    challenge_actions.accept_challenges(rival, "ALL", 1, (), by=Actor(owner))
    answer = table.client.post("/play/", {"opponents": [rival], "clock": "none"})
    assert answer.status_code == 409 and "choose the clock of 10 minutes" in answer.content.decode()
    assert table.client.post("/play/", {"opponents": [rival], "clock": "10"}).status_code == 302


def test_nobody_is_kept_out_by_a_name(kit: Kit) -> None:
    table = Table(kit)
    kit.version()
    bot_actions.register_bot(account_actions.create_user("mallory", None), "nora person")
    account_actions.create_user("arenapeople", PASSWORD)
    sign_in(table.client, account_actions.create_user("nora", PASSWORD))
    table.sit_down()
    person = Bot.objects.get(is_person=True)
    assert person.name.startswith("nora (person ") and person.owner.username == "arena-people-1"
    for page in (f"/bots/{person.slug}/preview.png", f"/bots/{person.slug}/feed.xml"):
        assert table.client.get(page).status_code == 404
    assert person.name not in table.client.get(f"/users/{person.owner.username}/").content.decode()
