"""Declarations of this subject to the whole arena."""

from typing import Final

from webui.core.subjects import ADD, Subject
from webui.staff.models import MatchOrder

SUBJECT: Final = Subject(site_rights={MatchOrder: ADD})  # a worker carries the order out
