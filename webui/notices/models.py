"""What users are told of events and of their bots: on the site, and by email. The rows are the outbox, too: whoever
sends takes them."""

from typing import Final

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.events.models import EventRow


class NoticeKind(models.TextChoices):
    """What a notice tells, and what its `data` has beside `bots`, the names of the user's bots that it is about."""

    SOON = "soon"
    """The event starts soon: `at`."""
    CHECK_IN = "check_in"
    """Check-in is open: `at`, when it ends."""
    WITHDRAWN = "withdrawn"
    """By somebody else than the user: `why`."""
    DISQUALIFIED = "disqualified"
    """`why`"""
    ABSENT = "absent"
    """Did not come in time: `round`."""
    DRAWN = "drawn"
    """`round`"""
    TOLD = "told"
    """A message of an organiser: `text`."""
    FINISHED = "finished"
    """`places`, in the order of the bots."""
    INVITED = "invited"
    ASKED = "asked"
    """To the organiser: somebody asks to enter a bot late."""


class BotNoticeKind(models.TextChoices):
    """What a notice outside of events tells, and what its `data` has beside `bots`, the names of those it is about."""

    COMPARED = "compared"
    """A comparison of two versions has ended; `about` is its id: `new`, `old`, their names; `state`, how."""
    TAKEN_OFF = "taken_off"
    """A version of the bot `about` plays no rated matches: `version`; `match`, the last one; `reason`, if it forfeited
    that; `is_examination`, whether that was its examination."""
    WEBHOOK_OFF = "webhook_off"
    """Nothing is sent to the webhook `about`, an id, any more: `url`; `off`, why, of `OffReason`. Of no bot."""
    DIGEST = "digest"
    """What happened on a day to those that the user follows: `day`, as ISO has it, which is the number, too. Of no bot.
    An email alone, for who wants it."""
    MESSAGE = "message"
    """From staff: `text`; `number` is drawn by who writes, so that nothing is sent twice. Of no bot."""
    PASSWORD_LINK = "password_link"
    """Staff sent a link that sets a new password. Only the email has the link. `number` is that of the entry in the
    audit log: `why`. Of no bot."""
    LOCKED = "locked"
    """Staff locked the bot `about`, its address; `number` is that of the entry in the audit log: `why`."""
    UNLOCKED = "unlocked"
    """And unlocked it: `why`."""


ABOUT_A_BOT: Final = (BotNoticeKind.TAKEN_OFF, BotNoticeKind.LOCKED, BotNoticeKind.UNLOCKED)
"""Those whose `about` is the address of a bot."""


class MailState(models.TextChoices):
    """Where the email of a notice is."""

    NONE = ""
    DUE = "due"
    SENT = "sent"
    FAILED = "failed"


class NoticeBase(models.Model):
    """Something that a user is told, once."""

    number = models.BigIntegerField()
    """Which of its kind: of a fact its number, of a start its time, of an invitation the bot."""
    data = models.JSONField()
    at = models.DateTimeField(db_default=Now(), editable=False)
    read_at = models.DateTimeField(null=True, blank=True)
    mail = models.CharField(max_length=8, choices=MailState, default=MailState.NONE, blank=True)
    mail_tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    """When somebody last took it to send it."""

    class Meta:
        abstract = True


class Notice(NoticeBase):
    """A notice of an event."""

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
    """A notice of a bot or of a webhook, outside of events."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="bot_notices")
    about = models.CharField(max_length=64)
    """What its kind says."""
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
    """Whether a user wants emails about events, and in which language. Who has chosen nothing wants them. And whether
    one a day about those that the user follows; who has chosen nothing does not want that."""

    user = models.OneToOneField(User, primary_key=True, on_delete=models.CASCADE, related_name="mail_choice")
    is_wanted = models.BooleanField(default=True)
    language = models.CharField(max_length=8, blank=True, default="")
    wants_digest = models.BooleanField(default=False, db_default=False)
    digested_on = models.DateField(null=True, blank=True)
    """The last day, in UTC, of which the email was made, if there was something to tell."""

    class Meta:
        indexes = [models.Index(fields=["digested_on"], name="digest_due", condition=Q(wants_digest=True))]

    def __str__(self) -> str:
        return f"{self.user_id} {self.is_wanted}"
