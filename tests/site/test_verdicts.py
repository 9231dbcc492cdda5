"""The sentence of verdict: whole in every case, and true."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from webui.bots.values import BotRef, VersionRef
from webui.matches.values import MatchLine, SeatLine
from webui.stories.values import StorySummary
from webui.words.verdicts import verdict_sentence

STORY = StorySummary(0.5, 9, 12, (2,), "DJINN", "jafaar")


def seat(number: int, name: str, placement: int, gone: str = "") -> SeatLine:
    bot = BotRef(number, name, name.lower(), number, f"owner of {name}", False)
    return SeatLine(number, VersionRef(number, "1", bot), placement, placement, 90, None, gone)


def line(*seats: SeatLine) -> MatchLine:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return MatchLine("m", "FINISHED", len(seats), (), True, False, None, 1, 9, now, now, now, "", list(seats))


THREE = line(seat(1, "Oud", 2), seat(2, "Vizier", 1), seat(3, "Mirage", 3))


@pytest.mark.parametrize(
    ("story", "said"),
    [
        (STORY, "Vizier wins by 12, decided by one Djinn, Jafaar; the lead changed 9 times."),
        (replace(STORY, lead_changes=1), "Vizier wins by 12, decided by one Djinn, Jafaar; the lead changed once."),
        (
            replace(STORY, decided_by="TILE", decided_what="C2", margin=3, lead_changes=0),
            "Vizier wins by 3, decided by one tile, C2; the lead never changed.",
        ),
        (
            replace(STORY, decided_by="SOURCE", decided_what="goods"),
            "Vizier wins by 12, decided by its goods; the lead changed 9 times.",
        ),
        (
            replace(STORY, decided_by="NOTHING", decided_what="", margin=40, lead_changes=2),
            "Vizier wins by 40; the lead changed 2 times.",
        ),
        (
            replace(STORY, decided_by="TIE", decided_what="", margin=0, winners=(2, 3), lead_changes=2),
            "Vizier and Mirage share the win over Oud; the lead changed 2 times.",
        ),
        (
            replace(STORY, decided_by="TIE", decided_what="", margin=0, winners=(1, 2, 3), lead_changes=2),
            "Oud, Vizier and Mirage draw; the lead changed 2 times.",
        ),
    ],
)
def test_a_verdict(story: StorySummary, said: str) -> None:
    assert verdict_sentence(THREE, story) == said


def test_a_source_that_decided_is_told_with_its_numbers_where_they_are_known() -> None:
    story = replace(STORY, decided_by="SOURCE", decided_what="gold")
    scores = [{"gold": 11, "total": 88}, {"gold": 24, "total": 100}, {"gold": 40, "total": 70}]
    said = "Vizier wins by 12, decided by its gold: 24 to 11; the lead changed 9 times."
    assert verdict_sentence(THREE, story, scores) == said
    gone = line(seat(1, "Oud", 3, "STRIKES"), seat(2, "Vizier", 1), seat(3, "Mirage", 2))
    assert "by its gold: 24 to 40; Oud forfeited;" in verdict_sentence(gone, story, scores), "who gave up is no rival"
    assert ": " not in verdict_sentence(THREE, STORY, scores)


def test_forfeits_are_told() -> None:
    won = replace(STORY, decided_by="FORFEIT", decided_what="")
    gone = line(seat(1, "Oud", 3, "STRIKES"), seat(2, "Vizier", 1), seat(3, "Mirage", 2))
    assert verdict_sentence(gone, won) == "Vizier wins by a forfeit; Oud forfeited; the lead changed 9 times."
    alone = line(seat(1, "Oud", 3, "STRIKES"), seat(2, "Vizier", 1), seat(3, "Mirage", 2, "GONE"))
    assert verdict_sentence(alone, won) == "Vizier wins: Oud and Mirage forfeited."
    despite = replace(STORY, lead_changes=0)
    assert verdict_sentence(gone, despite) == (
        "Vizier wins by 12, decided by one Djinn, Jafaar; Oud forfeited; the lead never changed."
    )
