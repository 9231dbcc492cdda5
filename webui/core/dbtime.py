"""Times by the database's clock, the only one that all processes share."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.expressions import Combinable
from django.db.models.functions import Now


def after_now(seconds: float) -> ExpressionWrapper[Combinable]:
    """The database's time in so many seconds."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def before_now(seconds: float) -> ExpressionWrapper[Combinable]:
    """The database's time so many seconds ago."""
    return ExpressionWrapper(Now() - timedelta(seconds=seconds), output_field=DateTimeField())
