"""What one more decision of a live match costs the site: `python -m tests.bench.live`.

A match of five with both expansions is written into the log decision by decision, as a worker writes it; after each a
feed reads it and encodes its frame. Printed is the median of the first and of the last ten decisions, beside the way
that reads and folds the whole match again at every wake-up.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING

import django

from arena.rules import Ruleset

if TYPE_CHECKING:
    from webui.replays.live import MatchFeed

TEN = 10


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1e3


def read(feed: MatchFeed) -> None:
    """What a feed does at a wake-up."""
    feed._events += feed._new_events()[0]


def measure() -> None:
    from tests.kit.ladder import CLOCK, POLICY, Kit, Writer, play_out
    from tests.site.test_growth import by_decision
    from webui.matches import ownership
    from webui.matches import queries as match_queries
    from webui.replays.live import MatchFeed
    from webui.replays.replay import load_replay

    kit = Kit()
    ruleset = Ruleset(5, ("artisans", "whims"))
    match_id = ownership.schedule_match(ruleset, kit.versions(5), CLOCK, POLICY, rated=True)
    claim = kit.claim(match_id, lease_s=3600)
    pieces = by_decision(play_out(claim).entries)
    line = match_queries.match_page(match_id).line
    feed, length, writer = MatchFeed(line, "en"), 0, Writer(claim)
    grown: list[float] = []
    anew: list[float] = []
    for piece in pieces:
        writer.append(piece)
        length += len(piece)
        grown.append(timed(lambda: read(feed)))
        if len(grown) <= TEN or len(grown) > len(pieces) - TEN:
            anew.append(timed(lambda: load_replay(line)))
    print(f"{len(pieces) - 1} decisions, {length} entries")
    print(f"{'ms a decision':32} {'first ten':>10} {'last ten':>10} {'last / first':>13}")
    for name, times in (("read on, with its frame", grown[1:]), ("whole match read, without frame", anew)):
        first, last = median(times[:TEN]), median(times[-TEN:])
        goal = "  goal ≤ 1.5" if times is not anew else ""
        print(f"{name:32} {first:10.2f} {last:10.2f} {last / first:13.2f}{goal}")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as var:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "webui.settings", "ARENA_VAR": var}
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        measure()


if __name__ == "__main__":
    main()
