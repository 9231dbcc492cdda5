"""The declaration of the subject of fairness reports."""

from typing import Final

from django.urls import reverse

from webui.core.subjects import READ, Subject
from webui.fairness.models import FairnessReport

SUBJECT: Final = Subject(site_rights={FairnessReport: READ}, pages=lambda: [reverse("fairness")])
