"""Times by the database's clock, which is the only clock that all processes share."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import DateTimeField, ExpressionWrapper
from django.db.models.expressions import Combinable
from django.db.models.functions import Now


def after_now(seconds: float) -> ExpressionWrapper[Combinable]:
    """Return the database's time in `seconds` seconds."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())


def before_now(seconds: float) -> ExpressionWrapper[Combinable]:
    """Return the database's time `seconds` seconds ago."""
    return ExpressionWrapper(Now() - timedelta(seconds=seconds), output_field=DateTimeField())
