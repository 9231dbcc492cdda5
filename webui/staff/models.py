"""Orders of staff that the site cannot carry out itself.

The site's database role may neither end a match nor read the seed that its end reveals. A worker carries out an order
within seconds.
"""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.matches.models import Match


class OrderKind(models.TextChoices):
    """Action that an order requests for a match."""

    VOID = "void"
    """End the match without a result."""
    VOID_AGAIN = "void_again"
    """End the match, and play a new one in its place."""
    AGAIN = "again"
    """Play a new match in the place of one that ended without a result."""


class OrderState(models.TextChoices):
    """State of an order: WAITING until a worker has handled it, then one of the others, which is final."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    """The state of the match had changed, so the order no longer applied."""


class MatchOrder(models.Model):
    """An order of staff about a match."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="orders")
    kind = models.CharField(max_length=12, choices=OrderKind)
    reason = models.CharField(max_length=200)
    """Public reason."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    address = models.CharField(max_length=64, blank=True)
    """Address as in `AuditEntry`. It is emptied when the order has been carried out."""
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
