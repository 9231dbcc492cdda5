"""A process of the version whose tables a migration left: `python -m tests.faults.former_version ladder 0001_initial`.

Its models are those of that migration, so that it names the columns that this version knew and no others. It plays: one
line of output for each decision that it has written and read again, until its input ends.
"""

from __future__ import annotations

import select
import sys

import django
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.models import F


def main(app: str, name: str) -> None:
    """Write until the input ends."""
    django.setup()
    if connection.vendor == "sqlite":
        # The processes of an arena try again when SQLite's lock stays taken. This one waits: a migration may take long.
        connection.settings_dict["OPTIONS"]["timeout"] = 240
    former = MigrationLoader(connection).project_state((app, name)).apps
    user = former.get_model(app, "User").objects.create(username="former")
    bot = former.get_model(app, "Bot").objects.create(owner=user, name="former", slug="former")
    version = former.get_model(app, "BotVersion").objects.create(bot=bot, name="1")
    matches, ladders = former.get_model(app, "Match").objects, former.get_model(app, "Ladder").objects
    terms = {"ruleset": {}, "clock": {}}
    match = matches.create(id="former", rules="r", policy={}, commitment="", rated=False, **terms)
    number = 0
    while not select.select([sys.stdin], [], [], 0)[0]:
        with transaction.atomic():
            assert matches.filter(pk=match.pk, length=number).update(length=F("length") + 1)
            former.get_model(app, "LogRow").objects.create(
                match=match, number=number, epoch=1, kind="decision", seat=1, text="pass", data={}
            )
        assert matches.get(pk=match.pk).log.count() == number + 1
        # A rated finish writes into most of the other tables.
        ladder = ladders.create(slug=f"l{number}", key=f"k{number}", **terms)
        former.get_model(app, "Standing").objects.create(
            ladder=ladder, version=version, mu=25, sigma=8, games=1, number=1
        )
        number += 1
        print(number, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
