"""What the arena as a whole must know of what staff order."""

from typing import Final

from webui.core.subjects import ADD, Subject
from webui.staff.models import MatchOrder

SUBJECT: Final = Subject(site_rights={MatchOrder: ADD})  # a worker carries it out
