"""The Django application."""

from django.apps import AppConfig


class LadderConfig(AppConfig):
    """Tables of users, bots, matches and ladders."""

    name = "webui.ladder"
    label = "ladder"
    verbose_name = "Naqala Arena"
