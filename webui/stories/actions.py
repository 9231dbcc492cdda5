"""The stories of finished matches. An evaluator makes each story once; a newer evaluator makes it again.

The rows say which matches have no story yet. One transaction writes the story and the match's version, if nobody else
has written them meanwhile. A process that is killed has therefore written all of it or nothing. If two processes write
the same story, the second one finds it written.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from arena.rules import RULES
from arena.story import VERSION, Evaluation, evaluate
from webui.core.errors import RecordAway
from webui.core.upkeep import UpkeepWorker
from webui.matches.hooks import is_overloaded
from webui.matches.models import Match, MatchRecord, MatchState
from webui.matches.record_store import packed_of
from webui.matches.records import unpack_record
from webui.stories.models import Story, pack_story

log = structlog.get_logger(__name__)


def make_now(worker: UpkeepWorker) -> None:
    """Make the stories of matches that have finished, unless the arena is overloaded or the settings want none."""
    if settings.STORY_SECONDS and not is_overloaded():
        make_stories(settings.STORY_SECONDS, is_stopping=worker.is_stopping)


def make_stories(budget_s: float, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Make stories for about `budget_s` seconds, but at least one story. Return how many were made.

    Matches without a story come first, newest first. Stories of former evaluators are then made again. `RecordAway` is
    raised if the store of records fails; the next call continues.
    """
    end, made = time.monotonic() + budget_s, 0
    for match_id in _due():
        made += write_story(match_id, _evaluation(match_id))
        if time.monotonic() >= end or is_stopping():
            break
    return made


def _due() -> Iterator[str]:
    """Yield the matches that have no story of this evaluator.

    The query is repeated for each match, so a match that ends meanwhile is next. Matches of other rules are left to
    workers that have these rules. Their existing stories stay.
    """
    without = Match.objects.filter(rules=RULES, state=MatchState.FINISHED, story_version__isnull=True)
    without = without.order_by("-finished_at")
    Story.objects.filter(version__lt=VERSION).exclude(match__rules=RULES).update(version=VERSION)
    former = Story.objects.filter(version__lt=VERSION).order_by("-version", "-day")
    while True:
        match_id = without.values_list("pk", flat=True).first() or former.values_list("pk", flat=True).first()
        if match_id is None:
            return
        yield match_id


def _evaluation(match_id: str) -> Evaluation | None:
    """Return the evaluation of a match. Return None if its record allows none."""
    row = MatchRecord.objects.filter(pk=match_id, match__rules=RULES).first()
    if row is None:
        return None
    try:
        return evaluate(unpack_record(packed_of(row)))
    except RecordAway:
        raise
    except Exception:  # a fault of ours, which must not hold up other matches
        log.exception("no_story", match=match_id)
        return None


def write_story(match_id: str, evaluation: Evaluation | None, version: int = VERSION) -> bool:
    """Write the story of a finished match. `evaluation` is None if no story can be made.

    Return False if the match has a story of this evaluator or a later one, or has not finished.
    """
    due = Match.objects.filter(
        Q(story_version__isnull=True) | Q(story_version__lt=version), pk=match_id, state=MatchState.FINISHED
    )
    with transaction.atomic():
        if not due.update(story_version=version):
            return False
        if evaluation is None:
            Story.objects.filter(pk=match_id).delete()
            return True
        finished_at = Match.objects.values_list("finished_at", flat=True).get(pk=match_id)
        assert finished_at is not None  # it has finished
        values = evaluation.values
        Story.objects.update_or_create(
            match_id=match_id,
            defaults={
                "version": version,
                "day": finished_at.astimezone(UTC).date(),
                "excitement": values.excitement,
                "lead_changes": values.lead_changes,
                "margin": values.margin,
                "winners": list(values.winners),
                "decided_by": str(values.decided_by),
                "decided_what": values.decided_what,
                "packed": pack_story(evaluation),
            },
        )
    return True
