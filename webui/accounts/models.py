"""Tables of accounts: users, their sessions and tokens, and the audit log."""

from typing import Any, NoReturn

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Now

from webui.accounts.names import skeleton_of


class User(AbstractUser):
    """A person who signs in. As the owner of bots, this person is called `owner`."""

    skeleton = models.CharField(max_length=400, unique=True, editable=False, db_column="look")
    """Skeleton of the name (`names.skeleton_of`). It is unique: no name can be mistaken for another."""

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the user together with the skeleton of a new name. django-allauth creates users, too.

        A name that is kept keeps its skeleton: an older rule may have allowed two names that are alike now.
        """
        fields = kwargs.get("update_fields")
        writes_name = fields is None or "username" in fields
        is_known = writes_name and not self._state.adding
        if writes_name and not (is_known and User.objects.filter(pk=self.pk, username=self.username).exists()):
            self.skeleton = skeleton_of(self.username)
        if fields is not None and writes_name:
            kwargs["update_fields"] = {*fields, "skeleton"}
        super().save(*args, **kwargs)


class UserSession(models.Model):
    """A browser in which a user is signed in.

    The session itself is Django's. This row has its address, browser and times.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="sessions")
    session_key = models.CharField(max_length=40, unique=True)
    address = models.CharField(max_length=64, blank=True)
    """Address where it was last seen: an IPv4 address, or the /64 of an IPv6 address. Empty if it is not known."""
    agent = models.CharField(max_length=200, blank=True)
    """User agent of the browser."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["user", "-seen_at"], name="session_of_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.address}"


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """A query set that allows only reading and adding."""

    def update(self, **fields: Any) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the audit log is append-only")

    def delete(self) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the audit log is append-only")


class AuditEntry(models.Model):
    """An act on an account, match or ladder: who did it, when and from where.

    Entries are append-only. Triggers of the database refuse every change except two. The address is emptied after a
    year. All texts are emptied when the account is erased.
    """

    at = models.DateTimeField(db_default=Now(), editable=False)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """User who did it. None for the operator at the command line and for the arena itself."""
    account = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    """Account that it was done to. Its user may read the entry."""
    act = models.CharField(max_length=24)
    """Kind of act, one of `webui.accounts.values.Act`."""
    subject = models.CharField(max_length=200, blank=True)
    """Object of the act, as people know it: a bot's name, the first characters of a token, or a match's id."""
    reason = models.CharField(max_length=200, blank=True, db_default="")
    """Reason given for an act of staff."""
    changes = models.JSONField(null=True, blank=True)
    """Values before and after an act of staff, by name: `{"delay": [0, 2]}`. None if there are none, or they were
    erased.
    """
    address = models.CharField(max_length=64, blank=True)
    """Address from which it was done, as in `UserSession`."""

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
        """Insert the entry. An existing entry is never changed."""
        if not self._state.adding:
            raise TypeError("the audit log is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise TypeError."""
        raise TypeError("the audit log is append-only")

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"


class Token(models.Model):
    """A token of any kind. Only its hash is stored; the clear token is shown once, when it is made."""

    digest = models.CharField(max_length=64, unique=True)
    """SHA-256 of the token, in hex. The token has 256 random bits, so an attacker cannot search for it by its plain
    hash.
    """
    prefix = models.CharField(max_length=16)
    """First characters of the token, by which its owner recognises it."""
    label = models.CharField(max_length=40, blank=True, db_default="")
    """Name that its owner gave it."""
    scopes = models.JSONField(default=list)
    """Scopes: the acts that the token allows."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    """Time when it expires. None if it is valid until it is revoked."""
    last_used_at = models.DateTimeField(null=True, blank=True)
    last_address = models.CharField(max_length=64, blank=True, db_default="")
    """Address from which it was last used: an IPv4 address, or the /64 of an IPv6 address."""
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.prefix}…"


class ApiToken(Token):
    """A token that a user's program sends to the HTTP API. It allows what the user may do, within its scopes."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")


class ApiRequest(models.Model):
    """A write through the HTTP API that had an idempotency key, with its answer.

    A repeated request gets the same answer. The row is made in the transaction of the write, and deleted after a day.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", db_constraint=False)
    """User who sent it. A constraint would lock the user's row before the rows that the write itself locks."""
    key = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)
    """SHA-256 of the request, in hex."""
    status = models.PositiveSmallIntegerField()
    answer = models.TextField()
    """Body, encrypted because it may contain a token."""
    created_at = models.DateTimeField(db_default=Now(), editable=False, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="api_request_once")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key}"
