"""The declaration of the subject of open data."""

from typing import Final

from django.urls import reverse

from webui.core.subjects import READ, Check, Subject
from webui.open_data.checks import open_data
from webui.open_data.models import DataFile

SUBJECT: Final = Subject(
    site_rights={DataFile: READ},
    pages=lambda: [reverse("data")],
    checks=(Check("open_data", open_data),),
)
