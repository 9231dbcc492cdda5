"""The declaration of the subject of ladders."""

from typing import Final

from arena.events.fields import terms_of
from webui.core.subjects import ADD, CHANGE, Subject
from webui.ladders.models import Ladder, LadderTerms
from webui.ladders.values import LadderSettings

SUBJECT: Final = Subject(site_rights={Ladder: {**ADD, "UPDATE": tuple(terms_of(LadderSettings))}, LadderTerms: CHANGE})
