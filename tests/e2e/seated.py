"""A person at a table in Chromium, who decides by mouse, by touch or by keyboard, and only among what is lit."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from tests.site.chromium import listen
from tests.site.test_browser import AXE, faults, tab_to

SHOTS = os.environ.get("ARENA_SCREENSHOTS")
WINDOWS = {1280: 720, 1920: 1080, 390: 844}
"""Widths of windows in pixels, and their heights."""
PATIENCE_MS = 180_000
"""Far longer than anything takes, even on a busy machine."""
MOST_STEPS = 100
OVER = "main form[action='/play/'] .primary"
"""The button for a rematch, on the page after the end."""
IS_SENT = """last => {
  const bar = document.querySelector("[data-choosing]");
  if (bar?.ariaBusy) return null;
  return !bar || bar.hidden || Number(document.querySelector("[data-last]").textContent) > last ? "sent" : "more";
}"""
HAS_GONE_ON = """last => {
  const shown = document.querySelector("[data-last]");
  return !shown || Number(shown.textContent) > last;
}"""
ASKED = """([last, over]) => {
  if (document.querySelector(over)) return { isOver: true };
  const root = document.querySelector("[data-seat-played][data-ready]");
  if (!root || root.querySelector("[data-choosing]").hidden) return null;
  const at = Number(root.querySelector("[data-last]").textContent);
  return at > last ? { isOver: false, at } : null;
}"""

Choose = Callable[["PersonAtTable"], None]


class PersonAtTable:
    """Somebody with a browser, who draws each decision from those that the page offers."""

    def __init__(self, browser: Any, address: str, *, seed: int = 1, **more: Any) -> None:
        """Open a browser's context. `more` are its options, such as `has_touch`."""
        self.address = address
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 720}, **more})
        self.context.set_default_timeout(PATIENCE_MS)
        self.draw = Random(seed)
        self.sent: list[tuple[int, str]] = []
        """Index and action of each decision that was sent. One that is sent again is listed once."""
        self.seconds: list[float] = []
        """Seconds from each decision to the next frame."""
        self.complaints: list[str] = []
        self.last = -1
        """Index of the event that follows, when the person was last asked."""
        self.is_over = False
        self.page = self.new_tab()

    def new_tab(self) -> Any:
        """Open another tab of the same browser."""
        page = self.context.new_page()
        self.complaints = listen(page)
        page.on("request", self._note)
        return page

    def _note(self, request: Any) -> None:
        if request.method == "POST" and request.url.endswith("/answer"):
            sent = json.loads(request.post_data)
            decisions = enumerate(sent["actions"], sent["index"])
            self.sent += [decision for decision in decisions if decision not in self.sent]

    def sit_down(self, *opponents: str, expansions: Sequence[str] = ()) -> None:
        """Sit down with these bots, and wait until the first decision is asked for."""
        page = self.page
        page.goto(f"{self.address}/play/")
        for box in page.locator("[name=opponents]").all():
            box.set_checked(False)
        for name in opponents:
            page.get_by_label(name, exact=True).check()
        for name in expansions:
            page.check(f"[name={name}]")
        began = time.monotonic()
        page.get_by_role("button", name="Sit down").click()
        page.wait_for_selector("[data-seat-played][data-ready]")
        print(f"\nfrom the click to the table: {time.monotonic() - began:.1f} s", end="")
        self.wait_until_asked()

    @property
    def match_id(self) -> str:
        """Return the id of the match."""
        return str(self.page.url.partition("/play/")[2].partition("/")[0])

    @property
    def rounds(self) -> int:
        """Return how many rounds have begun."""
        return int(self.page.locator("[data-rounds] .round-number").count())

    def wait_until_asked(self) -> None:
        """Wait until the next decision is asked for, or the game is over."""
        asked = self.page.wait_for_function(ASKED, arg=[self.last, OVER]).json_value()
        self.is_over = asked["isOver"]
        self.last = asked.get("at", self.last)

    def send(self, choose: Choose) -> None:
        """Choose step by step, until the decision is sent."""
        for _ in range(MOST_STEPS):
            choose(self)
            if self.page.wait_for_function(IS_SENT, arg=self.last).json_value() == "sent":
                return
        raise AssertionError(f"nothing was sent after {MOST_STEPS} steps")

    def decide(self, choose: Choose) -> None:
        """Make a decision, and wait until the next one is asked for."""
        self.send(choose)
        self.wait_for_next()

    def wait_for_next(self) -> None:
        """Wait until the game goes on after a decision that was sent, and the next one is asked for."""
        began = time.monotonic()
        self.page.wait_for_function(HAS_GONE_ON, arg=self.last)
        self.seconds.append(time.monotonic() - began)
        self.wait_until_asked()

    def play(self, choose: Choose, rounds: int | None = None) -> None:
        """Play until so many rounds are over, or the match is."""
        while not self.is_over and (rounds is None or self.rounds <= rounds):
            self.decide(choose)

    def follow_live(self) -> None:
        """Choose the pace at which the page shows all at once."""
        self.page.locator("[data-pace]").evaluate("pace => { pace.value = ''; }")

    def check(self, name: str, widths: Sequence[int] = tuple(WINDOWS)) -> None:
        """Check that a page fits windows of these widths, and that axe finds nothing."""
        self.page.evaluate(AXE)
        wrong = []
        before = self.page.viewport_size
        for width in widths:
            self.page.set_viewport_size({"width": width, "height": WINDOWS[width]})
            if SHOTS:
                self.page.screenshot(path=Path(SHOTS) / f"{name}-{width}.png")
            if (needed := self.page.evaluate("document.documentElement.scrollWidth")) > width:
                wrong.append(f"{name} needs {needed} pixels, and has {width}")
            wrong += [f"{name} at {width}: {fault}" for fault in faults(self.page)]
        self.page.set_viewport_size(before)
        assert wrong == []


def by_mouse(person: PersonAtTable) -> None:
    """Click something that is lit, or a button."""
    _one_of_the_steps(person).click()


def by_touch(person: PersonAtTable) -> None:
    """Tap something that is lit, or a button."""
    _one_of_the_steps(person).tap()


def by_keyboard(person: PersonAtTable) -> None:
    """Choose from the list of all actions. Go there with Tab if the focus is elsewhere."""
    page = person.page
    if not page.evaluate("Boolean(document.activeElement?.closest('[data-choosing-list]'))"):
        tab_to(page, "[data-choosing-all] > summary", limit=100)
        if page.locator("[data-choosing-all][open]").count() == 0:
            page.keyboard.press("Enter")
        page.wait_for_selector(".choosing-action")
        tab_to(page, ".choosing-action", limit=3)
    for _ in range(person.draw.randrange(min(5, page.locator(".choosing-action").count()))):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")


def _one_of_the_steps(person: PersonAtTable) -> Any:
    """Return a lit place or a button. A button that continues comes before places that begin again."""
    buttons = person.page.locator(".choosing-steps button:not([aria-pressed=true])")
    lit = person.page.locator(".is-lit:not(.is-chosen)")
    has_begun = person.page.locator("[data-choosing-undo]").is_visible()
    places = 0 if has_begun and buttons.count() else lit.count()
    number = person.draw.randrange(places or buttons.count())
    return lit.nth(number) if places else buttons.nth(number)
