"""Count the action sequences of a depth, to compare engines. Chance comes from the seed's stream."""

from __future__ import annotations

from arena.rules.chance import Stream, draw_chance
from arena.rules.state import State


def perft(state: State, stream: Stream, depth: int) -> int:
    """Return the number of sequences of `depth` decisions from a state on. A game that ends sooner has none."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(state.legal)
    return sum(split(state, stream, depth).values())


def split(state: State, stream: Stream, depth: int) -> dict[str, int]:
    """Return the number of sequences by first action, in listing order. `depth` is at least 1."""
    counts = {}
    for action in state.legal:
        after, branch = state.play(action), stream
        if after.due is not None:
            # Each branch of the game continues from its own place in the stream.
            branch = stream.copy()
            while after.due is not None:
                after = after.play(draw_chance(after, branch))
        counts[action.text] = perft(after, branch, depth - 1)
    return counts
