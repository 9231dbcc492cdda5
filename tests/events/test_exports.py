"""Exports of events: rows by hand, and FIDE's report file as parsed by another program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from py4swiss.trf import TrfParser
from py4swiss.trf.sections.player_section import PlayerSection

from arena.events import FactKind
from arena.events.exports import report_file, standings_rows
from tests.kit.events import SEED, Played, by_chance


def test_rows_of_standings_by_hand() -> None:
    played = Played({"kind": "gauntlet"}, 2, 3, tie_breaks=["score_share"])
    played.draw()
    data = {"round": 1, "table": 1, "game": 0, "match": "m1"}
    played.say(FactKind.RESULT, **data, placements=[1, 2], scores=[60, 30])
    played.draw()
    played.say(FactKind.ABSENT, round=2, table=1, entrant=3)
    assert standings_rows(played.event, played.event.standings(SEED)) == [
        ("place", "entrant", "bot", "version", "owner", "points", "games", "byes", "wins", "score_share", "present"),
        ("1", "1", "bot 1", "v1", "owner 1", "2", "2", "0", "2", "0.6667", "yes"),
        ("2", "2", "bot 2", "v1", "owner 2", "0", "1", "0", "0", "0.3333", "yes"),
        ("3", "3", "bot 3", "v1", "owner 3", "0", "1", "0", "0", "0", "yes"),
    ]


def read(played: Played, tmp_path: Path) -> dict[int, PlayerSection]:
    path = tmp_path / "event.trf"
    path.write_text(report_file(played.event, SEED), encoding="utf-8")
    parsed = TrfParser.parse(path, strict=True)  # adds up the points, and compares both sides of each game
    assert parsed.tournament_section.tournament_name == "Test"
    return {section.starting_number: section for section in parsed.player_sections}


@pytest.mark.parametrize("unit", ["match", "block"])
def test_another_program_reads_the_report_file(unit: str, tmp_path: Path) -> None:
    played = Played({"kind": "knockout", "consolation": True}, 2, 11, unit=unit).to_the_end(by_chance(3))
    sections = read(played, tmp_path)
    rows = played.event.standings(SEED)
    assert {n: (s.rank, s.points_times_ten) for n, s in sections.items()} == {
        row.entrant: (row.place, 5 * row.halves) for row in rows
    }
    assert sections[11].name == "bot 11" and sections[11].fide_rating == 1989
    assert {len(section.results) for section in sections.values()} == {4 if unit == "match" else 8}


def test_forfeits_ties_and_rounds_that_are_not_over(tmp_path: Path) -> None:
    played = Played({"kind": "knockout"}, 2, 6)
    played.draw()
    first, second = played.event.rounds[0].tables
    data: dict[str, Any] = {"round": 1, "game": 0}
    played.say(FactKind.ABSENT, round=1, table=first.number, entrant=first.seats[0])
    played.say(FactKind.RESULT, **data, table=second.number, placements=[1, 1], scores=[5, 4])
    played.draw()
    sections = read(played, tmp_path)
    tokens = {number: [result.result.value for result in section.results] for number, section in sections.items()}
    absent, there = first.seats
    assert tokens == {1: ["U"], 2: ["U"], absent: ["-"], there: ["+"], **{number: ["="] for number in second.seats}}
    colours = [sections[number].results[0].color.value for number in second.seats]
    assert colours == ["w", "b"]


def test_a_report_file_is_for_two_seats() -> None:
    with pytest.raises(ValueError, match="two seats"):
        report_file(Played({"kind": "knockout"}, 3, 9).event, SEED)
