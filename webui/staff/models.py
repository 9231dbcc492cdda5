"""Orders of staff that the site cannot carry out itself: its role in the database may neither end a match nor read the
seed that its end reveals. A worker does it, within seconds."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.matches.models import Match


class OrderKind(models.TextChoices):
    """What is to be done with a match."""

    VOID = "void"
    """End it without a result."""
    VOID_AGAIN = "void_again"
    """End it, and play a new one in its place."""
    AGAIN = "again"
    """It has ended without a result: play a new one in its place."""


class OrderState(models.TextChoices):
    """Where an order is: WAITING until a worker has looked at it, then one of the others for good."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    """The match was not as it had been any more."""


class MatchOrder(models.Model):
    """An order of staff about a match."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="orders")
    kind = models.CharField(max_length=12, choices=OrderKind)
    reason = models.CharField(max_length=200)
    """Why, for everybody to read."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=64, blank=True)
    """As in `AuditEntry`; emptied when the order has been carried out."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    state = models.CharField(max_length=8, choices=OrderState, default=OrderState.WAITING)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["match"], condition=Q(state="waiting"), name="order_once_a_match"),
            models.CheckConstraint(condition=Q(kind__in=OrderKind.values), name="order_kind_known"),
            models.CheckConstraint(
                condition=Q(state="waiting", ended_at=None)
                | Q(state__in=["done", "refused"], ended_at__isnull=False, address=""),
                name="order_end_known",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="order_has_reason"),
        ]
        indexes = [models.Index(fields=["id"], name="order_waiting", condition=Q(state="waiting"))]

    def __str__(self) -> str:
        return f"{self.kind} {self.match_id}"
