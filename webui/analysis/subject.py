"""The declaration of the subject of analysis."""

from typing import Final

from django.urls import reverse

from webui.core.subjects import Subject

SUBJECT: Final = Subject(pages=lambda: [reverse("analysis")])
