"""Tables of notices to users about events and bots, on the site and by email. The rows are also the outbox of the
emails."""

from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.events.models import EventRow


class NoticeKind(models.TextChoices):
    """Kind of a notice about an event, with the keys of its `data`. `bots` is always there: the names of the user's
    bots that the notice is about."""

    SOON = "soon"
    """The event starts soon. `at` is the start."""
    CHECK_IN = "check_in"
    """Check-in is open. `at` is its end."""
    WITHDRAWN = "withdrawn"
    """Somebody other than the user withdrew the bots. `why` is the reason."""
    DISQUALIFIED = "disqualified"
    """The bots were disqualified. `why` is the reason."""
    ABSENT = "absent"
    """The bots did not come in time. `round` is the number of the round."""
    DRAWN = "drawn"
    """A round was drawn. `round` is its number."""
    TOLD = "told"
    """An organiser wrote a message. `text` is the message."""
    FINISHED = "finished"
    """The event has finished. `places` are in the order of the bots."""
    INVITED = "invited"
    ASKED = "asked"
    """Somebody asks the organiser, who gets the notice, to enter a bot late."""


class BotNoticeKind(models.TextChoices):
    """Kind of a notice outside events, with the keys of its `data`. `bots` is always there: the names of the bots that
    the notice is about."""

    COMPARED = "compared"
    """A comparison of two versions has ended. `about` is its id, `new` and `old` are the versions' names, and `state`
    is its state."""
    TAKEN_OFF = "taken_off"
    """A version of the bot `about` plays no rated matches.

    `version` is its name, and `match` its last match. `reason` is the reason for its forfeit in that match, if any.
    `is_examination` says whether the match was its examination.
    """
    HOSTED = "hosted"
    """A version of the bot `about` that was handed in is ready, has failed, or was withdrawn by staff.

    `number` is the id of the submission, `version` the name of the version, and `state` READY, FAILED or WITHDRAWN.
    `text` is the fault in words, and `why` the reason of staff.
    """
    WEBHOOK_OFF = "webhook_off"
    """A webhook was switched off. `about` is its id, `url` its address, and `off` the reason (`OffReason`). `bots` is
    empty."""
    DIGEST = "digest"
    """News of one day about what the user follows. It is only sent by email, to users who want it.

    `day` is the day as an ISO date; its ordinal is the `number`. `bots` is empty.
    """
    MESSAGE = "message"
    """Staff wrote a message. `text` is the message. The sender draws `number`, so that nothing is sent twice. `bots` is
    empty."""
    PASSWORD_LINK = "password_link"
    """Staff sent a link that sets a new password. Only the email has the link.

    `number` is the id of the entry in the audit log, and `why` the reason. `bots` is empty.
    """
    LOCKED = "locked"
    """Staff locked the bot with the slug `about`, or its hosted version named `version`. `number` is the id of the
    entry in the audit log, and `why` the reason."""
    UNLOCKED = "unlocked"
    """Staff unlocked the bot. The keys are those of `LOCKED`."""
    ACCOUNT_LOCKED = "account_locked"
    """Staff locked the user's account. `number` is the id of the entry in the audit log, and `why` the reason. `bots`
    is empty."""
    ACCOUNT_UNLOCKED = "account_unlocked"
    """Staff unlocked the account. The keys are those of `ACCOUNT_LOCKED`."""
    ROLE_CHANGED = "role_changed"
    """An administrator changed the user's role or rights. `state` is the role; the other keys are those of
    `ACCOUNT_LOCKED`."""


ABOUT_AN_ACCOUNT: Final = (BotNoticeKind.ACCOUNT_LOCKED, BotNoticeKind.ACCOUNT_UNLOCKED, BotNoticeKind.ROLE_CHANGED)
"""Kinds that change what a user may do. Their emails cannot be switched off."""
ABOUT_A_BOT: Final = (BotNoticeKind.TAKEN_OFF, BotNoticeKind.HOSTED, BotNoticeKind.LOCKED, BotNoticeKind.UNLOCKED)
"""Kinds for which `about` is the slug of a bot."""


class MailState(models.TextChoices):
    """State of a notice's email."""

    NONE = ""
    DUE = "due"
    SENT = "sent"
    FAILED = "failed"


class NoticeBase(models.Model):
    """A notice to a user. It is made once."""

    number = models.BigIntegerField()
    """Number of the notice within its kind: that of a fact, the time of a start, or the id of an invited bot."""
    data = models.JSONField()
    at = models.DateTimeField(db_default=Now(), editable=False)
    read_at = models.DateTimeField(null=True, blank=True)
    mail = models.CharField(max_length=8, choices=MailState, default=MailState.NONE, blank=True)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    """Time at which a sender last took the email."""

    class Meta:
        abstract = True


class Notice(NoticeBase):
    """A notice about an event."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notices")
    event = models.ForeignKey(EventRow, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=16, choices=NoticeKind)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "event", "kind", "number"], name="notice_once"),
            models.CheckConstraint(condition=Q(kind__in=NoticeKind.values), name="notice_kind_known"),
            models.CheckConstraint(condition=Q(mail__in=MailState.values), name="notice_mail_known"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="notice_of_user"),
            models.Index(fields=["id"], name="notice_to_mail", condition=Q(mail="due")),
            models.Index(fields=["user"], name="notice_unread", condition=Q(read_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.event_id} {self.kind} {self.number}"


class BotNotice(NoticeBase):
    """A notice about a bot or a webhook, outside events."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bot_notices")
    about = models.CharField(max_length=64)
    """Subject of the notice. Its meaning depends on the kind."""
    kind = models.CharField(max_length=16, choices=BotNoticeKind)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "about", "kind", "number"], name="bot_notice_once"),
            models.CheckConstraint(condition=Q(mail__in=MailState.values), name="bot_notice_mail_known"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="bot_notice_of_user"),
            models.Index(fields=["id"], name="bot_notice_to_mail", condition=Q(mail="due")),
            models.Index(fields=["user"], name="bot_notice_unread", condition=Q(read_at=None)),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.about} {self.kind} {self.number}"


class MailChoice(models.Model):
    """Choice of a user about emails.

    Emails about events are sent unless the user switches them off. The daily digest is sent only to users who switch it
    on.
    """

    user = models.OneToOneField(User, primary_key=True, on_delete=models.CASCADE, related_name="mail_choice")
    is_wanted = models.BooleanField(default=True)
    language = models.CharField(max_length=8, blank=True, default="")
    wants_digest = models.BooleanField(default=False, db_default=False)
    digested_on = models.DateField(null=True, blank=True)
    """Last day (in UTC) that was processed. Its digest was made only if there was news."""

    class Meta:
        indexes = [models.Index(fields=["digested_on"], name="digest_due", condition=Q(wants_digest=True))]

    def __str__(self) -> str:
        return f"{self.user_id} {self.is_wanted}"
