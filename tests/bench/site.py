"""Pages of an arena with a long past, beside a page that reads nothing: `python -m tests.bench.site [MATCHES]`.

A private PostgreSQL is filled with bots and finished matches, a million unless told otherwise: real games of several
rulesets, played through the actions, and copies of them under other names, each with its participants, rating entries
and packed record. Then the ratings are fitted and published, which is timed; the site is served as in production, and
every page is asked for in turn with the sign-up form, which reads nothing from the database: what counts is the ratio,
and that the median stays under 100 ms.
"""

from __future__ import annotations

import random
import sys
import time
from typing import TYPE_CHECKING

from rich.progress import track

from tests.bench.pages import measure, private_arena, served

if TYPE_CHECKING:
    from django.db.models import Model

MATCHES = 1_000_000
BOTS = 3_000
PATTERNS = 40
"""Games that are really played; all others are copies of these."""
BATCH = 20_000
ROUNDS = 60

MATCH = """
INSERT INTO ladder_match ({columns})
SELECT {values} FROM generate_series(%(first)s::int, %(last)s::int) i JOIN bench_pattern b ON b.k = i %% %(patterns)s
JOIN ladder_match m ON m.id = b.match_id"""

# Few bots play much, most play little: the cube of an even spread. No bot meets itself: the step is not a divisor.
PARTICIPANT = """
INSERT INTO ladder_participant ({columns})
SELECT {values} FROM generate_series(%(first)s::int, %(last)s::int) i JOIN bench_pattern b ON b.k = i %% %(patterns)s
JOIN ladder_participant m ON m.match_id = b.match_id
CROSS JOIN LATERAL (SELECT floor(%(bots)s * power(abs(hashint4(i)) / 2147483648.0, 3))::int AS first_bot) r
JOIN bench_version v ON v.k = (r.first_bot + m.seat * 37) %% %(bots)s"""

ENTRY = """
INSERT INTO ladder_ratingentry
  (ladder_id, number, match_id, seat, version_id, placement, mu_before, sigma_before, mu, sigma)
SELECT m.ladder_id, m.ladder_number, m.id, p.seat, p.version_id, p.placement,
  25 + p.seat, 1.2, 26 + p.seat - p.placement, 1.2
FROM generate_series(%(first)s::int, %(last)s::int) i JOIN ladder_match m ON m.id = 'copy-' || i
JOIN ladder_participant p ON p.match_id = m.id"""

RECORD = """
INSERT INTO ladder_matchrecord (match_id, packed)
SELECT 'copy-' || i, r.packed FROM generate_series(%(first)s::int, %(last)s::int) i
JOIN bench_pattern b ON b.k = i %% %(patterns)s JOIN ladder_matchrecord r ON r.match_id = b.match_id"""

STANDING = """
INSERT INTO ladder_standing (ladder_id, version_id, mu, sigma, games, number, wins)
SELECT ladder_id, version_id, 25 + 10 * (hashint8(version_id) / 2147483648.0), 1.2, count(*), max(number),
  count(*) FILTER (WHERE placement = 1)
FROM ladder_ratingentry GROUP BY ladder_id, version_id
ON CONFLICT (ladder_id, version_id)
DO UPDATE SET games = excluded.games, number = excluded.number, wins = excluded.wins"""


def fill(matches: int) -> tuple[str, list[str]]:
    """Everything into the database; the address of the longest ladder, and of some matches."""
    from django.db import connection

    from tests.kit.ladder import Kit
    from webui.ladder import models

    kit = Kit()
    patterns: list[tuple[str, int, int]] = []  # match, its ladder, its place among the patterns of that ladder
    on_ladder: dict[int, int] = {}
    tables = {players: kit.versions(players) for players in (2, 3, 4)}
    for number in track(range(PATTERNS), "Playing"):
        match_id = kit.finish(tables[2 + number % 3]).match_id
        ladder = models.Match.objects.get(pk=match_id).ladder_id
        assert ladder is not None
        patterns.append((match_id, ladder, on_ladder.setdefault(ladder, 0)))
        on_ladder[ladder] += 1
    owners = models.User.objects.bulk_create(models.User(username=f"author-{i}") for i in range(BOTS // 4))
    bots = models.Bot.objects.bulk_create(
        models.Bot(owner=owners[i % len(owners)], name=f"Copy {i}", slug=f"copy-{i}") for i in range(BOTS)
    )
    versions = models.BotVersion.objects.bulk_create(models.BotVersion(bot=bot, name="1") for bot in bots)
    started = dict(models.Ladder.objects.values_list("pk", "finished"))

    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_pattern (k int PRIMARY KEY, match_id text, start int, step int)")
        cursor.execute("CREATE TABLE bench_version (k int PRIMARY KEY, id bigint)")
        cursor.executemany(
            "INSERT INTO bench_pattern VALUES (%s, %s, %s, %s)",
            [(k, match, started[ladder] + 1 + at, on_ladder[ladder]) for k, (match, ladder, at) in enumerate(patterns)],
        )
        cursor.executemany("INSERT INTO bench_version VALUES (%s, %s)", [(k, v.pk) for k, v in enumerate(versions)])
        ago = f"now() - ({matches} - i) * interval '20 seconds'"
        match = _copy(models.Match, MATCH, {
            "id": "'copy-' || i", "created_at": ago, "started_at": ago, "finished_at": ago, "waits_since": ago,
            "ladder_number": f"b.start + (i / {PATTERNS}) * b.step",
        })  # fmt: skip
        participant = _copy(
            models.Participant, PARTICIPANT, {"id": None, "match_id": "'copy-' || i", "version_id": "v.id"}
        )
        bounds = {"patterns": PATTERNS, "bots": BOTS}
        for first in track(range(0, matches, BATCH), "Copying"):
            for statement in (match, participant, ENTRY, RECORD):
                cursor.execute(statement, {**bounds, "first": first, "last": min(matches, first + BATCH) - 1})
        cursor.execute(STANDING)
        cursor.execute(
            "UPDATE ladder_ladder l SET finished = (SELECT max(ladder_number) FROM ladder_match WHERE ladder_id = l.id)"
        )
        cursor.execute("VACUUM ANALYZE")
    longest = models.Ladder.objects.order_by("-finished")[0].slug
    connection.close()
    some = random.Random(1)
    return f"/ladder/{longest}/", [f"/matches/copy-{some.randrange(matches)}/" for _ in range(ROUNDS)]


def _copy(model: type[Model], statement: str, changed: dict[str, str | None]) -> str:
    """An INSERT of copies: every column of a model as in the pattern, but for these (None: left to the database)."""
    columns = [field.column for field in model._meta.concrete_fields]
    columns = [column for column in columns if changed.get(column, "") is not None]
    return statement.format(
        columns=", ".join(columns), values=", ".join(changed.get(column) or f"m.{column}" for column in columns)
    )


def pages_of(ladder: str, matches: list[str]) -> dict[str, list[str]]:
    """The pages that are measured, with the addresses that are asked for in turn."""
    return {
        "front": ["/"],
        "ladder": [ladder],
        "ladder, last page": [f"{ladder}?page=10"],
        "ladder, search": [f"{ladder}?q=copy+19"],
        "ladder, all versions": [f"{ladder}?versions=all"],
        "overall": ["/ladder/all/"],
        "bots": ["/bots/"],
        "bot that plays most": ["/bots/copy-37/"],
        "bots that play": [f"/bots/copy-{i * 31 % BOTS}/" for i in range(ROUNDS)],
        "matches": ["/matches/"],
        "matches, page 20": ["/matches/?page=20"],
        "match": matches,
        "frames of a replay": [f"{match}frames.json" for match in matches],
    }


def publish() -> None:
    """Fit every ladder, and all together; print what each took."""
    from webui.ladder import models
    from webui.ladder.actions import fitting

    ladders = list(models.Ladder.objects.order_by("pk"))
    for ladder in ladders:
        began = time.monotonic()
        fitting.fit_ladder(ladder)
        versions = models.Fit.objects.get(ladder=ladder).ratings.count()
        print(f"fit of {ladder.slug}: {ladder.finished} matches, {versions} versions: {time.monotonic() - began:.1f} s")
    began = time.monotonic()
    fitting.fit_due()
    print(f"fit of all together: {time.monotonic() - began:.1f} s")


def main(matches: int) -> None:
    with private_arena():
        began = time.monotonic()
        ladder, addresses = fill(matches)
        print(f"{matches} matches, {BOTS} bots: filled in {time.monotonic() - began:.0f} s")
        publish()
        with served() as port:
            measure(port, pages_of(ladder, addresses), ROUNDS)


if __name__ == "__main__":
    main(int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else MATCHES)
