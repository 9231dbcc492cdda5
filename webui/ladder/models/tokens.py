"""What programs show instead of a password, and what they asked for with it."""

from django.db import models
from django.db.models.functions import Now

from webui.ladder.models.bots import Bot, User


class Token(models.Model):
    """A token of whomever. Only the hash is kept; the clear token is given out once, when made."""

    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the token, hex. The token has 256 random bits, so a plain hash cannot be searched."""
    prefix = models.CharField(max_length=16)
    """The first characters of the token, so that its owner can tell which one it is."""
    label = models.CharField(max_length=40, blank=True, db_default="")
    """What its owner calls it."""
    scopes = models.JSONField(default=list)
    """What the token allows."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    """From then on it opens nothing; None: it is good until it is revoked."""
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_address = models.CharField(max_length=64, blank=True, db_default="")
    """From where it was last used: an IPv4 address, or the /64 of an IPv6 address."""
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.prefix}…"


class BotToken(Token):
    """What a bot shows when it dials in; its scope is `play`."""

    bot = models.ForeignKey(Bot, on_delete=models.CASCADE, related_name="tokens")


class ApiToken(Token):
    """What a program of a user's shows to the HTTP API, to do what the user may do within its scopes."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")


class ApiRequest(models.Model):
    """A write through the HTTP API that named an idempotency key, and its answer: the same request again gets the same
    answer. Made in the transaction of the write, and forgotten after a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    """Without a constraint, which would lock the user's row before what the write itself locks."""
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    """SHA-256 of the request, hex."""
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    """The body, encrypted: it may hold a token."""
    created_at = models.DateTimeField(db_default=Now(), editable=False, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="api_request_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key}"
