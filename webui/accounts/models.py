"""What belongs to an account: its sign-ins, and the log of what was done with it."""

from typing import Any, NoReturn

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Now

from webui.accounts.names import look


class User(AbstractUser):
    """A person who signs in; as the owner of bots, an `owner`."""

    look = models.CharField(max_length=400, unique=True, editable=False)
    """Skeleton of the name (`names.look`): two users never have names that a reader takes for each other."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user and the look of the name. The library of sign-in creates users, too."""
        self.look = look(self.username)
        if (fields := kwargs.get("update_fields")) is not None and "username" in fields:
            kwargs["update_fields"] = {*fields, "look"}
        super().save(*args, **kwargs)


class UserSession(models.Model):
    """A browser in which a user is signed in. The session itself is Django's; this says where and when."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sessions")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=64, blank=True)
    """Where it was last seen: an IPv4 address, or the /64 of an IPv6 address; empty if that says nothing."""
    agent = models.CharField(max_length=200, blank=True)
    """What the browser calls itself."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["user", "-seen_at"], name="session_of_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.address}"


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Entries are added and read."""

    def update(self, **fields: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the audit log is append-only")

    def delete(self) -> NoReturn:
        """TypeError."""
        raise TypeError("the audit log is append-only")


class AuditEntry(models.Model):
    """Who did what to which account, match or ladder, when and from where. Append-only: triggers of the database refuse
    every change but these: the address is emptied after a year, and all words, too, when the account is erased."""

    at = models.DateTimeField(db_default=Now(), editable=False)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """Who did it; None for the operator at the command line and the arena itself."""
    account = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """Whose account it was done to, and who may read it."""
    act = models.CharField(max_length=24)
    """One of `webui.accounts.values.Act`."""
    subject = models.CharField(max_length=200, blank=True)
    """What it was done to, as people know it: the name of a bot, the first characters of a token, a match's id."""
    reason = models.CharField(max_length=200, blank=True, db_default="")
    """Why, as whoever did it says; of acts of staff."""
    changes = models.JSONField(null=True, blank=True)
    """Of acts of staff what was before and after, by name: `{"delay": [0, 2]}`. None: nothing to tell, or forgotten."""
    address = models.CharField(max_length=64, blank=True)
    """As in `UserSession`."""

    objects = AuditQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["account", "-id"], name="audit_of_account"),
            models.Index(fields=["at"], name="audit_with_address", condition=~models.Q(address="")),
            models.Index(fields=["act", "-id"], name="audit_of_act"),
            models.Index(fields=["actor", "-id"], name="audit_of_actor"),
        ]

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert; an entry that exists is never changed."""
        if not self._state.adding:
            raise TypeError("the audit log is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """TypeError."""
        raise TypeError("the audit log is append-only")

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"


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
