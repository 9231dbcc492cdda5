"""Write actions of trials by visitors."""

from __future__ import annotations

import secrets
from typing import Final

from django.db import transaction
from django.utils.crypto import salted_hmac

from arena.hosting.limits import TRIAL_SOURCE_BYTES
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, Refusal, TooMany
from webui.writing.models import OPEN, Trial, TrialState

OPPONENTS: Final = ("random", "greedy")
"""House players against which a trial is played. Stronger ones think for longer than a person waits."""
MOST_AN_HOUR: Final = 240
"""Maximum number of trials of an account or an address within an hour."""
MOST_WAITING_OF_USER: Final = 2
"""Maximum number of trials of an account that wait."""
MOST_WAITING_OF_ADDRESS: Final = 10
"""Maximum number of trials of guests at one address that wait: a class sits behind one router."""
MOST_WAITING: Final = 200
"""Number of waiting trials beyond which only the first one of an account or address is admitted."""
MOST_WAITING_AT_ALL: Final = 5000
"""Maximum number of waiting trials. It only protects the disk: so many accounts and addresses wait at no time."""
HOUR_S: Final = 3600.0


def asker_of(user_id: int | None, address: str) -> str:
    """Return who asks for a trial: an account, or the address of a guest, which is not stored in clear text."""
    return f"user {user_id}" if user_id is not None else salted_hmac("trials", address).hexdigest()[:40]


def check_source(source: str) -> str:
    """Return a source in its stored form. Raise `BadRequest` if it is not one."""
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise Refusal("NO_SOURCE", "there is no program: write one, or take the example")
    if "\0" in text:
        raise BadRequest("the program has a zero byte: remove it")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise BadRequest("the program is not UTF-8: save it as UTF-8") from None
    if size > TRIAL_SOURCE_BYTES:
        raise Refusal(
            "SOURCE_TOO_LARGE",
            "the program has {size:,} bytes, and the page takes {most:,}: hand in a larger one as a file",
            size=size,
            most=TRIAL_SOURCE_BYTES,
        )
    return text


@transaction.atomic
def try_source(
    user_id: int | None, address: str, source: str, opponent: str, *, is_examination: bool = False, lesson: int = 0
) -> str:
    """Ask for a trial, which a runner plays next. Return its key.

    With `is_examination` the bot is examined as a submission, and plays no game. `lesson` is the number of the lesson
    whose check it is.

    Raise `BadRequest` for a value that is not allowed, and `TooMany` if the asker has tried much, or too many wait.
    """
    text = check_source(source)
    if opponent not in OPPONENTS:
        raise BadRequest(f"{opponent!r:.40} is no opponent: choose one of {', '.join(OPPONENTS)}")
    asker = asker_of(user_id, address)
    own = Trial.objects.filter(asker=asker)
    asked = own.filter(created_at__gt=before_now(HOUR_S)).count()
    if asked >= MOST_AN_HOUR:
        raise TooMany(f"you have tried {MOST_AN_HOUR} programs within an hour: wait a while")
    most = MOST_WAITING_OF_USER if user_id is not None else MOST_WAITING_OF_ADDRESS
    waits = own.filter(state__in=OPEN).count()
    if waits >= most:
        raise TooMany("your earlier programs still wait to be played: wait for them")
    if Trial.objects.filter(state=TrialState.QUEUED).count() >= (MOST_WAITING if waits else MOST_WAITING_AT_ALL):
        raise TooMany("too many programs wait to be played: try again in a minute")
    row = Trial.objects.create(
        key=secrets.token_urlsafe(16),
        author_id=user_id,
        asker=asker,
        source=text,
        opponent=opponent,
        seed=secrets.token_hex(32),
        is_examination=is_examination,
        lesson=lesson,
        turn=asked,
    )
    return row.key
