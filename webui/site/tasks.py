"""Tasks of the site, for workers of the queue `upkeep`: Celery finds them by the name of this module."""

from celery import shared_task
from django.conf import settings
from django.db import connections
from django.utils import translation

from webui.ladder import queries
from webui.ladder.actions.dispatching import FRAMES_TASK
from webui.site.replay.frames import packed_frames
from webui.site.replay.loading import load_replay
from webui.site.replay.summary import summary_of

WAIT_S = 20.0
"""Frames that visitors ask for meanwhile come first."""


@shared_task(name=FRAMES_TASK)
def make_frames(match_id: str) -> None:
    """Make the frames of a match that has ended, and the summary of its page, in the site's own language, before its
    first visitor needs them."""
    try:
        with translation.override(settings.LANGUAGE_CODE):
            line = queries.match_page(match_id).line
            packed_frames(line, wait_s=WAIT_S)
            if (replay := load_replay(line)) is not None:
                summary_of(replay, line, 0)
    finally:
        connections.close_all()  # this thread may not need one again for long
