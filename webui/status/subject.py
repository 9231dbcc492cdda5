"""The declaration of the subject of the arena's status."""

from collections.abc import Iterator
from typing import Final

from webui.core.subjects import ALL, READ, Rule, Subject
from webui.matches.hooks import overload_known
from webui.status.actions import old_status
from webui.status.models import DoctorRun, OverheadSample, RunningProcess, StatusHour
from webui.status.queries import is_overloaded


def _retention() -> Iterator[Rule]:
    return (Rule("status", rows) for rows in old_status())


SUBJECT: Final = Subject(
    gateway_rights={RunningProcess: ALL},
    site_rights={**dict.fromkeys((DoctorRun, OverheadSample, StatusHour), READ), RunningProcess: ALL},
    retention=_retention,
    receives=(overload_known.received_by(is_overloaded),),
)
