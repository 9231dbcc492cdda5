"""Acts of staff, one row each. The pages under `/staff/` and the commands of `arena admin` are made from `ACTS`.

The rows stand in the modules of their subjects: `acts_on_matches`, `acts_on_people` and `acts_on_hosting`.

A page needs the right of its act, a password that was entered recently, and a reason. A command needs a reason alone,
because the operator has every right.
"""

from __future__ import annotations

from typing import Any, Final

from webui.staff.act import StaffAct
from webui.staff.acts_on_hosting import OF_HOSTING, OF_RUNNERS, OF_SUBMISSIONS
from webui.staff.acts_on_matches import OF_GAMES, OF_LADDERS, OF_MATCHES
from webui.staff.acts_on_people import OF_BOTS, OF_USERS

ACTS: Final[tuple[StaffAct[Any], ...]] = (
    *OF_MATCHES,
    *OF_GAMES,
    *OF_LADDERS,
    *OF_USERS,
    *OF_BOTS,
    *OF_SUBMISSIONS,
    *OF_RUNNERS,
    *OF_HOSTING,
)
