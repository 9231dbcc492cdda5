"""An event with bots of its own, for tests of events."""

from __future__ import annotations

from typing import Any

from arena.events import Event, EventState
from tests.kit.ladder import LEASE, Kit, play_out
from tests.ladder.online import Online
from webui.accounts import actions as account_actions
from webui.bots.models import BotVersion
from webui.events import actions as event_actions
from webui.events import advancing
from webui.events.facts import find_event, fold_event
from webui.matches import ending, ownership
from webui.matches.models import Match, MatchState

TERMS = {"name": "Autumn Cup", "format": {"kind": "gauntlet"}, "game": {"players": 2}}


class Organised:
    """An event with bots of its own, all of them online."""

    def __init__(self, kit: Kit, bots: int, **terms: Any) -> None:
        self.kit = kit
        self.organiser = account_actions.create_user("orga", None, role="admin" if terms.get("rated") else "player")
        self.slug = event_actions.create_event(self.organiser, {**TERMS, **terms})
        self.versions = kit.versions(bots)
        self.online = [Online(version, player_counts=(2, 3, 4, 5)) for version in self.versions]
        event_actions.ask_event(self.slug, self.organiser, "publish")
        self.advance()
        self.bots = [BotVersion.objects.get(pk=version).bot for version in self.versions]
        for bot in self.bots:
            event_actions.enter_event(self.slug, bot.slug, bot.owner_id)

    @property
    def event(self) -> Event:
        row = find_event(self.slug)
        return fold_event(row)

    def start(self) -> None:
        event_actions.freeze_now(self.slug, self.organiser)
        self.advance()

    def advance(self, capacity: int = 50) -> list[str]:
        return advancing.advance_events(self.online, capacity)

    def scheduled(self) -> list[str]:
        waiting = Match.objects.filter(state=MatchState.SCHEDULED).order_by("created_at", "pk")
        return list(waiting.values_list("pk", flat=True))

    def play(self) -> None:
        """Play every match that is scheduled."""
        for match in self.scheduled():
            claim = self.kit.claim(match)
            played = play_out(claim)
            ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
            ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)

    def to_the_end(self, most: int = 50) -> None:
        for _ in range(most):
            if self.event.state is EventState.FINISHED:
                return
            self.play()
            self.advance()
        raise AssertionError("the event does not end")
