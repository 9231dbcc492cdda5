"""The declaration of the subject of TV."""

from typing import Final

from webui.core.subjects import READ, Subject
from webui.tv.models import FeaturedMatch

SUBJECT: Final = Subject(site_rights={FeaturedMatch: READ})
