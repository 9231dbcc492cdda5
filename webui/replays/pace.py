"""The pace at which a person can follow a match, and the ply that a show of it has reached after some time.

The viewer uses the same durations (`static/site/viewer/motions.js`).
"""

from itertools import accumulate

from webui.replays.replay import Replay, Step

COSTS_MS = {"take": 580, "drop": 270, "fly": 270}
OTHER_MS = 960


def cost_ms(step: Step) -> int:
    """Return how long a decision is shown, motions included, in milliseconds at speed 1."""
    return COSTS_MS.get(step.verb, OTHER_MS)


def ply_after(replay: Replay, passed_s: float, whole_s: float | None) -> int:
    """Return the ply that is shown after `passed_s` seconds of a show.

    `whole_s`: the length of the whole show in seconds; None for a show at speed 1.
    """
    sums = [0, *accumulate(map(cost_ms, replay.steps))]
    shown_ms = 1000 * passed_s if whole_s is None else sums[-1] * (passed_s / whole_s if whole_s > 0 else 1)
    return max(0, sum(each <= shown_ms for each in sums) - 1)
