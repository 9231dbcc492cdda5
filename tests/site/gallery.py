"""A gallery of matches that journeys in Chromium walk through. It is seeded once, and no test changes it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from playwright.sync_api import expect

from arena.rules import Ruleset, View, format_position, read_game
from arena.story import evaluate
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, Played, Writer, play_out
from tests.kit.plies import indices
from tests.site.chromium import listen
from webui.bots.models import BotVersion
from webui.matches import ending, ownership
from webui.ratings.fitting import fit_due
from webui.replays.replay import FinishedReplay, Step
from webui.stories import actions as story_actions
from webui.tv.models import FeaturedMatch

Serve = Callable[[Callable[[Kit], Any]], AbstractContextManager[Any]]
"""Serves the database that was seeded with a class, until the end of a block."""
WIDEST = Ruleset(5, ("artisans", "whims"))


@dataclass
class Shown:
    """A match, and its events if it has ended."""

    id: str
    events: list[list[Any]]

    @property
    def plies(self) -> list[int]:
        """Return the indices by which addresses name the plies."""
        return indices(event[0] > 0 for event in self.events)


class Gallery:
    """Finished matches of 3, 4 and 5 seats, a running match, a match on TV, and a bot that plays on two ladders."""

    url = ""
    """Address of the site that serves the gallery."""

    def __init__(self, kit: Kit) -> None:
        self.three, _ = finished(kit, Ruleset(3), kit.versions(3))
        versions = kit.versions(4)
        self.four, played = finished(kit, Ruleset(4), versions)
        story_actions.write_story(self.four.id, evaluate(played.document, rollouts=2))
        self.told, played = finished(kit, Ruleset(3), versions[:3])
        story_actions.write_story(self.told.id, evaluate(played.document, rollouts=2))
        self.bot = BotVersion.objects.get(pk=versions[0]).bot.slug
        self.five, played = finished(kit, WIDEST, kit.versions(5), holds_items)
        story_actions.write_story(self.five.id, evaluate(played.document, rollouts=2))
        fit_due()
        running = kit.claim(ownership.schedule_match(WIDEST, kit.versions(5), CLOCK, POLICY, rated=True))
        Writer(running).append(play_out(running).entries[:160])
        self.live = Shown(running.match_id, [])
        begins = timezone.now() - timedelta(minutes=30)
        FeaturedMatch.objects.create(
            number=1, match_id=self.four.id, begins_at=begins, ends_at=begins + timedelta(days=1), was_live=False
        )

    @property
    def ended(self) -> list[Shown]:
        """Return the matches that have ended."""
        return [self.three, self.four, self.told, self.five]

    def page_of(self, match: Shown) -> str:
        """Return the address of the page of a match."""
        return f"{self.url}/matches/{match.id}/"


def finished(
    kit: Kit, ruleset: Ruleset, versions: list[int], wanted: Callable[[Played], bool] = bool
) -> tuple[Shown, Played]:
    """Return a finished match, played by chance until the game is as wanted."""
    claim = kit.claim(ownership.schedule_match(ruleset, versions, CLOCK, POLICY, rated=True, server_seed=bytes(32)))
    played = next(played for played in (play_out(claim, seed) for seed in range(99)) if wanted(played))
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    return Shown(claim.match_id, played.document["events"]), played


def holds_items(played: Played) -> bool:
    """Return whether somebody has an item at the end."""
    return any(seat["items"] for seat in format_position(read_game(played.document).state)["seats"])


def before(replay: FinishedReplay, wanted: Callable[[Step, View, View], bool]) -> int:
    """Return the index one step before the first decision of a kind."""
    for ply in range(2, len(replay.steps) + 1):
        if wanted(replay.steps[ply - 1], replay.position(ply - 1), replay.position(ply)):
            return replay.index_of(ply - 1)
    raise AssertionError("no decision is like this")


class Visitor:
    """A visitor's window on the gallery, and what its pages have complained of."""

    def __init__(self, browser: Any, width: int = 1600, height: int = 1000, **context: Any) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, **context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)  # others are at work on the machine
        self.complaints = listen(self.page)

    def open(self, url: str) -> Any:
        """Open a page with a viewer, and return it when the viewer is ready."""
        self.page.goto(url)
        expect(self.page.locator("[data-viewer][data-ready]")).to_be_attached()
        return self.page

    def leave(self) -> None:
        """Close the window. Nothing may have been complained of."""
        assert self.complaints == []
        self.context.close()
