"""The declaration of the subject of stories."""

from typing import Final

from webui.core.subjects import READ, Subject
from webui.stories.models import Story

SUBJECT: Final = Subject(site_rights={Story: READ})
