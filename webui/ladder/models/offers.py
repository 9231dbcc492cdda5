"""The public log of offers: a chain of signed documents, one for each match that was made."""

from typing import Any, NoReturn

from django.db import models
from django.db.models import Q

from webui.ladder.models.matches import Match


class OfferQuerySet(models.QuerySet["OfferEntry"]):
    """Entries are added and read."""

    def update(self, **fields: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")

    def delete(self) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")


class OfferEntry(models.Model):
    """A match as it was offered, signed. Append-only: triggers of the database refuse every change."""

    number = models.PositiveIntegerField(primary_key=True)
    """From 1, without a gap."""
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="offer")
    document = models.TextField()
    """Canonical JSON (`arena.referee.offers`): the bytes that are signed, and whose hash the next entry names."""
    key = models.CharField(max_length=16)
    """The name of the key."""
    signature = models.CharField(max_length=128)
    """Ed25519, in hex."""

    objects = OfferQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "offer entries"
        constraints = [models.CheckConstraint(condition=Q(number__gte=1), name="offer_number_from_1")]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; an entry that exists is never changed."""
        if not self._state.adding:
            raise TypeError("the log of offers is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the log of offers is append-only")

    def __str__(self) -> str:
        return f"{self.number} {self.match_id}"


class OfferHead(models.Model):
    """Where the log of offers ends: the one row that whoever appends to it locks."""

    length = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64)
    """The hash of the last document."""

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="offer_head_once")]

    def __str__(self) -> str:
        return f"{self.length} {self.digest}"
