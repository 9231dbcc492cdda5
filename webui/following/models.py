"""Table of follows. Users follow bots, and authors with all their bots."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot


class Follow(models.Model):
    """A user follows a bot, or an author."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="follows")
    bot = models.ForeignKey(Bot, null=True, blank=True, on_delete=models.CASCADE, related_name="followers")
    author = models.ForeignKey(User, null=True, blank=True, on_delete=models.CASCADE, related_name="followers")
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(bot__isnull=True, author__isnull=False) | Q(bot__isnull=False, author__isnull=True),
                name="follow_of_one",
            ),
            models.UniqueConstraint(fields=["user", "bot"], name="follow_bot_once"),
            models.UniqueConstraint(fields=["user", "author"], name="follow_author_once"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.bot or self.author}"
