"""An arena with a long past on PostgreSQL: real games, and copies of them under other names, made in the database.

Of the last month there are as many matches however long the past is: what is measured at two lengths differs by the
past alone. The latest matches are complete, with record, packed log, secret and rating entries; of older ones those
are left out, which are only ever looked up by the match, so that ten million fit on a disk: the addresses that are
returned are of complete ones.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.story import DecidedBy, Evaluation, Point, StoryValues

if TYPE_CHECKING:
    from django.db.models import Model

VERSIONS = 3
"""Of each bot; all play."""
DAYS = 31
OLD_EVERY_S = 8
"""Seconds between two matches of the time before."""
SHOWN = 60
FITS_EVERY = 300
"""Matches of a ladder between two fits whose ratings are kept."""

STORY_OF_ALL = Evaluation(
    tuple([Point(6 * number, (0.5, 0.5), 0.02) for number in range(40)]),
    (),
    StoryValues((1,), 12, 3, DecidedBy.SOURCE, "goods", 0.5),
)
"""As long as real ones; copies differ in excitement."""

ID = "substr(md5('m' || {i}), 1, 12)"
"""Of copy `i`: ids have no order, as those of real matches have none."""
AGO = (
    "now() - CASE WHEN {n} - i < {recent} THEN ({n} - i) * interval '1 second' * {step}"
    " ELSE interval '{days} days' + ({n} - i - {recent}) * interval '{every} seconds' END"
)

MATCH = """
INSERT INTO matches_match ({columns})
SELECT {values} FROM generate_series(1, %(matches)s) i JOIN bench_pattern b ON b.k = i %% %(patterns)s
JOIN matches_match m ON m.id = b.match_id"""

# Few bots play much, most play little: the cube of an even spread. No bot meets itself: the step is not a divisor.
PARTICIPANT = """
INSERT INTO matches_participant ({columns})
SELECT {values} FROM generate_series(1, %(matches)s) i JOIN bench_pattern b ON b.k = i %% %(patterns)s
JOIN matches_participant m ON m.match_id = b.match_id
CROSS JOIN LATERAL (SELECT floor(%(bots)s * power(abs(hashint4(i::int)) / 2147483648.0, 3))::int AS first_bot) r
JOIN bench_version v ON v.k = (r.first_bot + m.seat * 37) %% %(bots)s"""

STORY = """
INSERT INTO stories_story ({columns})
SELECT {values} FROM generate_series(1, %(matches)s) i JOIN bench_pattern b ON b.k = i %% %(patterns)s
JOIN stories_story m ON m.match_id = b.match_id"""

OFFER = """
INSERT INTO matches_offerentry (number, match_id, document, key, signature)
SELECT 1000000 + i, {id}, '{{}}', '', '' FROM generate_series(1, %(matches)s) i"""

RECORD = """
INSERT INTO matches_matchrecord (match_id, packed)
SELECT {id}, r.packed FROM generate_series(%(first)s, %(matches)s) i
JOIN bench_pattern b ON b.k = i %% %(patterns)s JOIN matches_matchrecord r ON r.match_id = b.match_id"""

LOG = """
INSERT INTO matches_packedlog (match_id, packed)
SELECT {id}, r.packed FROM generate_series(%(first)s, %(matches)s) i
JOIN bench_pattern b ON b.k = i %% %(patterns)s JOIN matches_packedlog r ON r.match_id = b.match_id"""

SECRET = """
INSERT INTO matches_matchsecret (match_id, server_seed, deal)
SELECT {id}, r.server_seed, r.deal FROM generate_series(%(first)s, %(matches)s) i
JOIN bench_pattern b ON b.k = i %% %(patterns)s JOIN matches_matchsecret r ON r.match_id = b.match_id"""

ENTRY = """
INSERT INTO ratings_ratingentry
  (ladder_id, number, match_id, seat, version_id, placement, mu_before, sigma_before, mu, sigma)
SELECT m.ladder_id, m.ladder_number, m.id, p.seat, p.version_id, p.placement,
  25 + p.seat, 1.2, 26 + p.seat - p.placement, 1.2
FROM generate_series(%(first)s, %(matches)s) i JOIN matches_match m ON m.id = {id}
JOIN matches_participant p ON p.match_id = m.id WHERE m.ladder_number IS NOT NULL"""

STANDING = """
INSERT INTO ratings_standing (ladder_id, version_id, mu, sigma, games, number, wins, seats)
SELECT m.ladder_id, p.version_id, 25 + 10 * (hashint8(p.version_id) / 2147483648.0), 1.2, count(*),
  max(m.ladder_number), count(*) FILTER (WHERE p.placement = 1), '[0, 0, 0, 0, 0]'
FROM matches_participant p JOIN matches_match m ON m.id = p.match_id WHERE m.ladder_number IS NOT NULL
GROUP BY m.ladder_id, p.version_id
ON CONFLICT (ladder_id, version_id)
DO UPDATE SET games = excluded.games, number = excluded.number, wins = excluded.wins"""

# The history of a rating: as many points as fits in which its version had played since.
FIT = """
INSERT INTO ratings_fit (ladder_id, finished, made_at, terms)
SELECT id, finished, now(), '{}' FROM ladders_ladder WHERE finished > 0 ON CONFLICT DO NOTHING"""
RATING = """
INSERT INTO ratings_publishedrating
  (fit_id, version_id, is_current, finished, at, points, low, high, games, forfeits, trend, rank, best_rank, worst_rank,
   is_settled)
SELECT f.id, s.version_id, point = 0, f.finished - point * %(every)s, now(), 1500 + 10 * s.mu, 1400, 1900, s.games, 0,
  '[1500, 1510]', CASE WHEN point = 0 THEN row_number() OVER (PARTITION BY f.id, point ORDER BY s.mu DESC) END,
  CASE WHEN point = 0 THEN 1 END, CASE WHEN point = 0 THEN 99999 END, false
FROM ratings_standing s JOIN ratings_fit f ON f.ladder_id = s.ladder_id
CROSS JOIN LATERAL generate_series(0, least(s.games, (f.finished - 1) / %(every)s, 500)::int) point"""


@dataclass(frozen=True)
class Past:
    """What was made, for who asks for it."""

    ladder: str
    """The slug of the longest one."""
    busiest: str
    """The slug of the bot that plays most."""
    matches: list[str]
    """Ids of finished, complete ones."""
    versions: list[int]
    """Of the bots that are online."""


def fill(matches: int, *, patterns: int = 40, bots: int = 1_000, recent: int = 10_000) -> Past:
    """Everything into the database of this process, which is PostgreSQL and has nothing in it.

    `patterns`: games that are really played; all others are copies of these. `recent`: matches of the last `DAYS` days,
    which are complete.
    """
    from django.db import connection

    from tests.kit.ladder import Kit
    from webui.accounts import models as account_models
    from webui.bots import models as bot_models
    from webui.ladders import models as ladder_models
    from webui.matches import ending, packing
    from webui.matches import models as match_models
    from webui.ratings import models as rating_models
    from webui.stories import actions as story_actions
    from webui.stories import models as story_models

    kit = Kit()
    played: list[tuple[str, int | None, int]] = []  # match, its ladder, its place among the patterns of that ladder
    on_ladder: dict[int | None, int] = {}
    tables = {players: kit.versions(players) for players in (2, 3, 4)}
    for number in range(patterns):
        if number == patterns - 1:
            claim = kit.claim(kit.match(tables[2]))
            ending.abort_match(claim.match_id, claim.epoch, "seat 2 declined", declined=[2])
            match_id, ladder = claim.match_id, None
        else:
            # Mostly of two: most rows are those of participants.
            rated = number != patterns - 2
            match_id = kit.finish(tables[2 if number % 4 else 3 + number % 8 // 4], rated=rated).match_id
            ladder = match_models.Match.objects.get(pk=match_id).ladder_id
        played.append((match_id, ladder, on_ladder.setdefault(ladder, 0)))
        on_ladder[ladder] += 1
    packing.pack_logs(600, settled_s=-1)
    for match_id, _, _ in played:
        story_actions.write_story(match_id, STORY_OF_ALL)
    authors = [f"author-{i}" for i in range(max(1, bots // 4))]
    owners = account_models.User.objects.bulk_create(
        account_models.User(username=name, skeleton=name) for name in authors
    )
    listed = bot_models.Bot.objects.bulk_create(
        bot_models.Bot(owner=owners[i % len(owners)], name=f"Copy {i}", slug=f"copy-{i}", skeleton=f"copy-{i}")
        for i in range(bots)
    )
    versions = bot_models.BotVersion.objects.bulk_create(
        bot_models.BotVersion(bot=bot, name=f"{number}") for bot in listed for number in range(1, VERSIONS + 1)
    )
    started = dict(ladder_models.Ladder.objects.values_list("pk", "finished"))
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_pattern (k int PRIMARY KEY, match_id text, start int, step int)")
        cursor.execute("CREATE TABLE bench_version (k int PRIMARY KEY, id bigint)")
        cursor.executemany(
            "INSERT INTO bench_pattern VALUES (%s, %s, %s, %s)",
            [(k, match, started.get(ladder or 0, 0) + 1 + at, on_ladder[ladder])
             for k, (match, ladder, at) in enumerate(played)],
        )  # fmt: skip
        cursor.executemany("INSERT INTO bench_version VALUES (%s, %s)", [(k, v.pk) for k, v in enumerate(versions)])
        cursor.execute("SET maintenance_work_mem = '1GB'")
        cursor.execute("SET work_mem = '256MB'")
        remade = _without_indexes(cursor)
        ago = AGO.format(n=matches, recent=recent, days=DAYS, every=OLD_EVERY_S, step=DAYS * 86400 / recent)
        bounds = {"patterns": patterns, "bots": bots * VERSIONS, "matches": matches, "every": FITS_EVERY,
                  "first": max(1, matches - recent)}  # fmt: skip
        own_id = ID.format(i="i")
        statements = [
            _copy(match_models.Match, MATCH, {
                "id": own_id, "created_at": ago, "started_at": ago, "finished_at": ago, "waits_since": ago,
                "ladder_number": f"CASE WHEN m.ladder_number IS NOT NULL THEN b.start + (i / {patterns}) * b.step END",
            }),
            _copy(match_models.Participant, PARTICIPANT, {"id": None, "match_id": own_id, "version_id": "v.id"}),
            _copy(story_models.Story, STORY, {
                "match_id": own_id, "day": f"({ago})::date", "excitement": "abs(hashint4(i::int)) / 2147483648.0",
            }),
            OFFER.format(id=own_id),
        ]  # fmt: skip
        for statement in statements:
            cursor.execute(statement, bounds)
        for statement in remade:
            cursor.execute(statement)
        cursor.execute("ANALYZE")
        for statement in (RECORD, LOG, SECRET, ENTRY):
            cursor.execute(statement.format(id=own_id), bounds)
        cursor.execute(STANDING)
        cursor.execute(
            "UPDATE ladders_ladder l SET finished ="
            " (SELECT max(ladder_number) FROM matches_match WHERE ladder_id = l.id)"
        )
        cursor.execute(FIT)
        cursor.execute(RATING, bounds)
        _cover_clocks()
        cursor.execute("VACUUM ANALYZE")
    draw = random.Random(1)
    last = [f"{matches - draw.randrange(min(matches, recent) // patterns) * patterns - k}" for k in range(SHOWN)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT m.id FROM unnest(%s::int[]) i JOIN matches_match m ON m.id = {own_id}"
            " JOIN matches_matchrecord r ON r.match_id = m.id",
            [[int(one) for one in last]],
        )
        shown = [match_id for (match_id,) in cursor.fetchall()]
    most = rating_models.Standing.objects.order_by("-games").select_related("version__bot")[0]
    longest = ladder_models.Ladder.objects.order_by("-finished")[0].slug
    online = random.Random(2).sample([version.pk for version in versions], min(40, bots))
    return Past(longest, most.version.bot.slug, shown, online)


def _cover_clocks() -> None:
    """No fit is due: neither that of a ladder nor that of all ladders of one clock."""
    from webui.ladders import models as ladder_models
    from webui.ratings import models as rating_models

    finished: Counter[str] = Counter()
    for ladder in ladder_models.Ladder.objects.all():
        finished[json.dumps(ladder.clock.document(), sort_keys=True, separators=(",", ":"))] += ladder.finished
    terms = {"tau": 100.0, "correlation": 0.0, "finished": {}}
    for clock, count in finished.items():
        rating_models.Fit.objects.get_or_create(clock=clock, defaults={"finished": count, "terms": terms})


def _copy(model: type[Model], statement: str, changed: dict[str, str | None]) -> str:
    """An INSERT of copies: every column of a model as in the pattern, but for these (None: left to the database)."""
    columns = [field.column for field in model._meta.concrete_fields]
    columns = [column for column in columns if changed.get(column, "") is not None]
    return statement.format(
        columns=", ".join(columns), values=", ".join(changed.get(column) or f"m.{column}" for column in columns)
    )


def _without_indexes(cursor: object) -> list[str]:
    """Drop what makes every row of a long INSERT dear; the statements that make it again."""
    remade: list[str] = []
    for table in ("matches_match", "matches_participant", "matches_offerentry"):
        cursor.execute(  # type: ignore[attr-defined]
            "SELECT conname, pg_get_constraintdef(oid), contype FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND contype IN ('c', 'f', 'u')",
            [table],
        )
        for name, definition, kind in cursor.fetchall():  # type: ignore[attr-defined]
            if kind == "u" and table == "matches_match" and "replaces" in definition:
                continue
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')  # type: ignore[attr-defined]
            if kind == "u":
                remade.append(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}')
        cursor.execute(  # type: ignore[attr-defined]
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s"
            " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
            [table],
        )
        for name, definition in cursor.fetchall():  # type: ignore[attr-defined]
            cursor.execute(f'DROP INDEX "{name}"')  # type: ignore[attr-defined]
            remade.append(definition)
    return remade
