"""The declaration for tables that belong to no subject."""

from typing import Final

from django.contrib.contenttypes.models import ContentType
from django.db.migrations.recorder import MigrationRecorder

from webui.core.models import Turn
from webui.core.subjects import ALL, READ, Subject

SUBJECT: Final = Subject(
    gateway_rights={MigrationRecorder.Migration: READ},  # a new gateway waits for its tables
    site_rights={MigrationRecorder.Migration: READ, ContentType: READ, Turn: READ, "cache": ALL},
)
