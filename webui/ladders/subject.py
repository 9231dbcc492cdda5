"""The declaration of the subject of ladders."""

from typing import Final

from webui.core.subjects import ADD, CHANGE, Subject
from webui.ladders.models import Ladder, LadderTerms

SUBJECT: Final = Subject(site_rights={Ladder: {**ADD, "UPDATE": ("delay",)}, LadderTerms: CHANGE})
