"""The end of a match for the arena."""

from __future__ import annotations

from arena.referee import (
    Forfeit,
    judge,
)


def test_seats_that_forfeited_stand_below_all_others_the_later_forfeit_higher() -> None:
    two = [Forfeit(2, 10, "LATE"), Forfeit(4, 20, "GONE")]
    verdict = judge(4, two, [4, 1, 2, 3])
    assert verdict is not None and (verdict.kind, verdict.placements) == ("forfeit", (2, 4, 1, 3))
    assert verdict.document() == {
        "kind": "forfeit",
        "placements": [2, 4, 1, 3],
        "forfeits": [{"seat": 2, "at": 10, "reason": "LATE"}, {"seat": 4, "at": 20, "reason": "GONE"}],
    }
    assert judge(4, two, None) is None
    verdict = judge(4, [], [1, 1, 3, 4])
    assert verdict is not None and (verdict.kind, verdict.placements) == ("completed", (1, 1, 3, 4))
    verdict = judge(2, [Forfeit(1, 3, "LATE")], None)
    assert verdict is not None and verdict.placements == (2, 1)
    verdict = judge(2, [Forfeit(1, 3, "GONE"), Forfeit(2, 3, "GONE")], None)
    assert verdict is not None and (verdict.kind, verdict.placements) == ("void", ())
