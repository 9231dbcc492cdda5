"""A first visit with nothing kept, in headless Chromium, beside a trivial page: `python -m tests.bench.first_visit`.

House players fill a private arena. Then browsers that have seen nothing yet open the front page and a match that
nobody has opened, each in turn with the sign-up form, whose figures say what browser and machine take anyway. Printed
are the bytes that came over the line with their headers, the requests, the largest contentful paint, and when the
viewer has taken over; then what the frames of a match cost that nobody has opened, in time of the processor. Goals: 120
KB for the front page, 150 KB for a match of the base game; 1.0 s to the paint, 1.5 s to the viewer, 150 ms for frames.
"""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from tests.bench.pages import TRIVIAL, private_arena, served

ROUNDS = 5
MATCHES = 2 * ROUNDS + 2
WATCH = """() => {
  new PerformanceObserver((list) => { window.paint = list.getEntries().at(-1).startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new MutationObserver(() => {
    if (!window.taken && document.querySelector("[data-ready]")) window.taken = performance.now();
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-ready"] });
}"""


def visit(browser: Any, address: str) -> dict[str, float]:
    """Open a page in a browser without a cache."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, locale="en")
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    line = context.new_cdp_session(page)
    line.send("Network.enable")
    came: list[float] = []
    line.on("Network.loadingFinished", lambda event: came.append(event["encodedDataLength"]))
    page.goto(address, wait_until="networkidle")
    if "/matches/" in address:
        page.wait_for_selector("[data-ready]")
    told = {
        "KB": sum(came) / 1e3,
        "requests": float(len(came)),
        "paint ms": page.evaluate("window.paint"),
        "viewer ms": page.evaluate("window.taken ?? 0"),
    }
    context.close()
    return told


def visits(port: int, matches: list[str]) -> None:
    """Visits in turn, and their medians."""
    from tests.site.chromium import chromium

    told: dict[str, list[dict[str, float]]] = {TRIVIAL: [], "front": [], "match": []}
    with chromium() as browser:
        for match_id in matches[: ROUNDS + 1]:
            for name, path in ((TRIVIAL, TRIVIAL), ("front", "/"), ("match", f"/matches/{match_id}/")):
                told[name].append(visit(browser, f"http://127.0.0.1:{port}{path}"))
    print(f"{'page':12}" + "".join(f"{name:>14}" for name in told[TRIVIAL][0]))
    for name, rounds in told.items():
        medians = [median(one[column] for one in rounds[1:]) for column in rounds[0]]  # the first one warms the site
        print(f"{name:12}" + "".join(f"{number:14.1f}" for number in medians))


def frames(matches: list[str]) -> None:
    """The time of the processor for frames that nobody has asked for."""
    from webui.matches import queries as match_queries
    from webui.replays.frames import frames_document
    from webui.replays.replay import load_replay

    took = []
    for match_id in matches:
        line = match_queries.match_page(match_id).line
        began = time.process_time()
        replay = load_replay(line)
        assert replay is not None
        frames_document(replay, line.seats)
        took.append((time.process_time() - began) * 1e3)
    rest = sorted(took[1:])
    print(f"frames: the first in a process {took[0]:.0f} ms, then {median(rest):.0f} ms, at most {rest[-1]:.0f} ms")


def main() -> None:
    with private_arena():
        from django.db import connection

        from tests.site import seed
        from webui.matches.models import Match

        table = seed.entrants()[:4]
        for _ in range(MATCHES):
            seed.play(seed.schedule(table), table)
        matches = list(Match.objects.filter(state="FINISHED").values_list("pk", flat=True))
        connection.close()
        with served() as port:
            visits(port, matches[: ROUNDS + 1])
        frames(matches[ROUNDS + 1 :])


if __name__ == "__main__":
    main()
