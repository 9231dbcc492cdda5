"""Pages of an arena with a long past, beside a page that reads nothing: `python -m tests.bench.site [MATCHES]`.

A private PostgreSQL is filled with bots and finished matches (`history.py`), a million unless told otherwise. Then the
ratings are fitted and published, which is timed; the site is served as in production, and every page is asked for in
turn with the sign-up form, which reads nothing from the database: what counts is the ratio, and that the median stays
under 100 ms.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from tests.bench.pages import measure, private_arena, served

if TYPE_CHECKING:
    from tests.bench.history import Past

MATCHES = 1_000_000
ROUNDS = 60


def pages_of(past: Past) -> dict[str, list[str]]:
    """The pages that are measured, with the addresses that are asked for in turn."""
    ladder = f"/ladder/{past.ladder}/"
    matches = [f"/matches/{match_id}/" for match_id in past.matches]
    return {
        "front": ["/"],
        "ladder": [ladder],
        "ladder, last page": [f"{ladder}?page=10"],
        "ladder, search": [f"{ladder}?q=copy+19"],
        "ladder, all versions": [f"{ladder}?versions=all"],
        "overall": ["/ladder/all/"],
        "bots": ["/bots/"],
        "bot that plays most": [f"/bots/{past.busiest}/"],
        "bots that play": [f"/bots/copy-{i * 31 % 1000}/" for i in range(ROUNDS)],
        "matches": ["/matches/"],
        "matches, page 20": ["/matches/?page=20"],
        "match": matches,
        "frames of a replay": [f"{match}frames.json" for match in matches],
    }


def publish() -> None:
    """Fit every ladder, and all together; print what each took."""
    from webui.ladders import models as ladder_models
    from webui.ratings import fitting
    from webui.ratings import models as rating_models

    ladders = list(ladder_models.Ladder.objects.order_by("pk"))
    for ladder in ladders:
        began = time.monotonic()
        fitting.fit_ladder(ladder)
        versions = rating_models.Fit.objects.get(ladder=ladder).ratings.count()
        print(f"fit of {ladder.slug}: {ladder.finished} matches, {versions} versions: {time.monotonic() - began:.1f} s")
    began = time.monotonic()
    fitting.fit_due()
    print(f"fit of all together: {time.monotonic() - began:.1f} s")


def main(matches: int) -> None:
    with private_arena():
        from django.db import connection

        from tests.bench.history import fill

        began = time.monotonic()
        past = fill(matches)
        connection.close()
        print(f"{matches} matches: filled in {time.monotonic() - began:.0f} s")
        publish()
        with served() as port:
            measure(port, pages_of(past), ROUNDS)


if __name__ == "__main__":
    main(int(sys.argv[1].replace("_", "")) if len(sys.argv) > 1 else MATCHES)
