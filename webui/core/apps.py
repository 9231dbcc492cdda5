"""The Django application of the core."""

from pathlib import Path

import structlog
from django.apps import AppConfig
from django.conf import settings

from arena.host.private import keep_private

log = structlog.get_logger(__name__)


class CoreConfig(AppConfig):
    """The application that protects the arena's files when a process starts."""

    name = "webui.core"
    label = "core"
    verbose_name = "Naqala Arena"

    def ready(self) -> None:
        """Close the arena's files to other users, and its database too if it is elsewhere, before anything else is
        done.
        """
        database = settings.DATABASES["default"]
        name = Path(str(database["NAME"]))
        elsewhere = name.parent.glob(f"{name.name}*") if "sqlite3" in database["ENGINE"] and name.is_absolute() else ()
        for sentence in keep_private([*settings.PLACES.existing(), *elsewhere]):
            log.warning("files_open_to_others", what=sentence)
