"""A process that races others for matches: one line of JSON in, one out. Started by conftest."""

import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from arena.host.loading import loading

with loading():
    import django

    from arena.referee import Entry

    django.setup()

    # Only now: models cannot be imported before.
    from django.db import connection

    from webui.accounts import actions as account_actions
    from webui.accounts.values import AnsweredWrite
    from webui.bots import actions as bot_actions
    from webui.core.errors import LadderError
    from webui.matches import ending, ownership, packing
    from webui.matches import ending as match_ending
    from webui.stories import actions as story_actions


def act(call: str, *args: Any) -> Any:
    match call, args:
        case "claim", (match_id, owner, lease_s):
            claim = ownership.claim_match(match_id, owner, lease_s)
            return claim and [claim.epoch, len(claim.log)]
        case "append", (match_id, epoch, length, entries, lease_s):
            return ownership.append(match_id, epoch, length, [Entry(*entry) for entry in entries], lease_s)
        case "finish", (match_id, epoch, verdict, document):
            finish = ending.finish_match(match_id, epoch, verdict, document)
            return [finish.state, list(finish.placements), finish.ladder_number]
        case "release", (match_id, epoch):
            return ownership.release(match_id, epoch)
        case "sweep", ():
            return match_ending.sweep()
        case "renew", (match_id, epoch, lease_s):
            return ownership.renew(match_id, epoch, lease_s)
        case "register_once", (user_id, key, name, dies):
            return register_once(user_id, key, name, dies=dies)
        case "ensure_version", (bot_id, version):
            return bot_actions.register_version(bot_id, version)
        case "pack", ():
            return packing.pack_logs(60, settled_s=-1)
        case "pack_and_die", (after,):
            return pack_and_die(after)
        case "make_stories", ():
            return story_actions.make_stories(60)
        case "make_stories_and_die", (after,):
            return killed_after(after, lambda: story_actions.make_stories(60))
    raise ValueError(f"no such call: {call} {args}")


def pack_and_die(after: str) -> int:
    """Pack a log, and be killed before the transaction ends."""
    return killed_after(after, lambda: packing.pack_logs(60, settled_s=-1))


def killed_after(after: str, step: Callable[[], int]) -> int:
    """Do a step, and be killed by the next statement on this table once it is done, before the transaction ends."""

    def die(execute: Any, statement: str, *args: Any) -> Any:
        done = execute(statement, *args)
        verb = statement.split(maxsplit=1)[0]
        if verb in ("INSERT", "UPDATE", "DELETE") and f'_{after.lower()}"' in statement:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    with connection.execute_wrapper(die):
        return step()


def register_once(user_id: int, key: str, name: str, *, dies: bool) -> list[Any]:
    """A bot by a request with this key, by a process that may be killed after it."""

    def register() -> AnsweredWrite:
        bot = bot_actions.register_bot(user_id, name)
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return AnsweredWrite(201, str(bot))

    answered, was_known = account_actions.answer_once(user_id, key, name, register)
    return [answered.body, was_known]


def answer(value: Any) -> None:
    print(json.dumps(value), flush=True)


answer("ready")
for line in sys.stdin:
    try:
        answer(act(*json.loads(line)))
    except LadderError as error:
        answer(error.code)
