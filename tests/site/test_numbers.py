"""What the pages compute: axes, intervals, charts, shares, identicons."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

from arena.rules import read_game
from webui.board.seats import seat_panel, seats_known
from webui.bots.values import BotRef, VersionRef
from webui.core.static_files import STARS, star_path
from webui.matches.values import SeatLine
from webui.ratings.charts import MOST_TICKS, SCORE_HEIGHT, SCORE_WIDTH, RatingAxis, rating_chart, score_chart
from webui.ratings.values import Rated, RatedPoint
from webui.replays.replay import FinishedReplay
from webui.replays.timeline import links, marks, rounds, score_totals

VECTOR = Path(__file__).parents[2] / "tests/golden/vectors/base-3p-00.json"
NAMES = ["Oud", "Mirage", "A bot with quite a long name"]


def rated(points: int, half: int) -> Rated:
    return Rated(points, points - half, points + half, games=50, forfeits=0)


def test_every_interval_lies_on_the_axis() -> None:
    ratings = [rated(1788, 22), rated(1208, 18), rated(1489, 95)]
    axis = RatingAxis.of(ratings)
    for rating in ratings:
        interval = axis.interval(rating)
        assert 0 < interval.left < interval.middle < interval.left + interval.width < 100
    assert [number for number, _ in axis.ticks] == [1200, 1400, 1600, 1800]


def test_an_axis_has_few_round_numbers_however_wide() -> None:
    for half in (1, 40, 300, 2500):
        ticks = RatingAxis.of([rated(1500, half)]).ticks
        assert 1 <= len(ticks) <= MOST_TICKS + 1
        assert all(0 <= percent <= 100 for _, percent in ticks)
    assert RatingAxis.of([]).ticks


def test_a_rating_chart_needs_two_points_and_stays_in_its_frame() -> None:
    points = [RatedPoint("1", n, 1500 + 3 * n, 1400 + 4 * n, 1600 + 2 * n) for n in range(1, 120)]
    assert rating_chart(points[:1]) is None
    chart = rating_chart(points)
    assert chart is not None and (chart.first, chart.last) == (1503, 1857)
    numbers = [float(number) for number in re.findall(r"[\d.]+", chart.line + chart.band)]
    assert max(numbers[0::2]) <= chart.width and max(numbers[1::2]) <= chart.height
    assert len(chart.games) <= 8
    flat = rating_chart([RatedPoint("1", n, 1500, 1500, 1500) for n in (1, 2)])
    assert flat is not None and flat.line.startswith("M")


def replay() -> FinishedReplay:
    return FinishedReplay.of_game(read_game(json.loads(VECTOR.read_text())))


def test_the_score_chart_ends_at_the_result() -> None:
    told = replay()
    end = len(told.steps)
    chart = score_chart(score_totals(told), rounds(told), NAMES, end)
    result = json.loads(VECTOR.read_text())["result"]
    assert chart is not None and chart.to_come == 0
    totals = sorted((score["total"] for score in result["scores"]), reverse=True)
    assert [int(line.label.split(" ")[0]) for line in chart.lines] == totals
    heights = [line.label_y for line in chart.lines]
    assert all(below - above >= 16 for above, below in pairwise(heights)), "labels keep apart"
    numbers = [float(number) for line in chart.lines for number in re.findall(r"[\d.]+", line.line)]
    assert min(numbers) > 0 and max(numbers) < max(SCORE_WIDTH, SCORE_HEIGHT)


def test_links_lead_to_the_neighbours_and_end_at_the_ends() -> None:
    told = replay()
    end = len(told.steps)
    start, finish, middle = links(told, 0), links(told, end), links(told, 40)
    assert (start.first, start.previous, start.previous_turn) == ("", "", "")
    assert (finish.next, finish.next_turn, finish.last) == ("", "", "")
    assert middle.first == "0" and middle.last == str(told.index_of(end))
    assert (middle.previous, middle.next) == (str(told.index_of(39)), str(told.index_of(41)))
    assert told.ply_of(middle.previous_turn) < 40 < told.ply_of(middle.next_turn)


def test_the_lane_marks_what_happened() -> None:
    told = replay()
    drawn = marks(told, NAMES)
    final = told.position(len(told.steps))
    owned = sum(bool(tile.owner) for tile in final.tiles.values())
    assert sum(mark.kind == "capture" for mark in drawn) == owned
    assert [number for number, _ in rounds(told)] == list(range(1, final.round + 1))
    assert all(0 <= mark.percent <= 100 and mark.title for mark in drawn)


def test_the_bar_of_a_seat_is_whole() -> None:
    told = replay()
    end = len(told.steps)
    position, scores = told.position(end), told.scores(end)
    bots = [VersionRef(n, "1", BotRef(n, name, f"bot-{n}", 1, "lena", False)) for n, name in enumerate(NAMES)]
    lines = [SeatLine(n, bot, None, None, None, None, "") for n, bot in enumerate(bots, 1)]
    for line, known, score in zip(lines, seats_known(position, scores), scores, strict=True):
        panel = seat_panel(position, line, known)
        assert panel.total == score["total"] == sum(part.value for part in panel.parts)
        values = [part.value for part in panel.parts]
        assert [part.end for part in panel.parts] == [sum(values[: at + 1]) for at in range(len(values))]


def test_a_seal_is_a_closed_star_and_always_the_same() -> None:
    assert star_path("Oud") == star_path("Oud")
    for name in ("Oud", "Mirage", "x" * 40):
        points = star_path(name).strip("Mz").split("L")
        assert len(points) == len(set(points)) and len(points) in {n for n, _ in STARS}
