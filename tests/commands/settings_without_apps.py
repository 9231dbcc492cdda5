"""The settings, for a process that looks at them and at no database: to load the models takes most of its time."""

from webui.settings import *  # noqa: F403

INSTALLED_APPS: list[str] = []
