"""Tables of webhooks and their messages. The messages are the outbox: senders take them from there."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot
from webui.events.models import EventRow

LONGEST_URL = 500


class WebhookKind(models.TextChoices):
    """Kind of a message. `webui.webhooks.messages` defines the payloads."""

    MATCH_FINISHED = "match.finished"
    BOT_FAULT = "bot.fault"
    BOT_OFFLINE = "bot.offline"
    BOT_ONLINE = "bot.online"
    VERSION_TAKEN_OFF = "version.taken_off"
    SUBMISSION_BUILT = "submission.built"
    SUBMISSION_READY = "submission.ready"
    SUBMISSION_FAILED = "submission.failed"
    ROUND_DRAWN = "event.round_drawn"
    RESULTS_REVEALED = "event.results_revealed"
    EVENT_FINISHED = "event.finished"
    TEST = "webhook.test"
    """A test that the owner requested. It cannot be chosen for a webhook."""


class OffReason(models.TextChoices):
    """Reason why a webhook is off."""

    NOT_OFF = ""
    OWNER = "owner"
    GONE = "gone"
    """The receiver answered 410."""
    FAILING = "failing"
    """Nothing was received for days."""


class Webhook(models.Model):
    """An address at which a user receives messages."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=LONGEST_URL)
    kinds = models.JSONField()
    """Values of `WebhookKind`."""
    bot = models.ForeignKey(Bot, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    """Bot whose messages are sent. None: messages about all bots are sent."""
    event = models.ForeignKey(EventRow, null=True, blank=True, on_delete=models.CASCADE, related_name="webhooks")
    """Event whose messages are sent. None: messages about everything are sent."""
    secret = models.CharField(max_length=250)
    """Secret that signs the messages, encrypted."""
    former_secret = models.CharField(max_length=250, blank=True, default="")
    """Former secret, encrypted. It also signs the messages until `former_until`."""
    former_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    off = models.CharField(max_length=8, choices=OffReason, blank=True, default=OffReason.NOT_OFF)
    failing_since = models.DateTimeField(null=True, blank=True)
    """Time of the first failed request since the last success."""

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(off__in=OffReason.values), name="webhook_off_known"),
            models.CheckConstraint(condition=~Q(secret=""), name="webhook_has_secret"),
            models.CheckConstraint(
                condition=Q(former_secret="", former_until=None)
                | (~Q(former_secret="") & Q(former_until__isnull=False)),
                name="webhook_former_secret_ends",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.url}"


class DeliveryState(models.TextChoices):
    """State of a message."""

    DUE = "due"
    RECEIVED = "received"
    FAILED = "failed"
    """Given up."""


class Delivery(models.Model):
    """A message to a webhook."""

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message = models.CharField(max_length=40, unique=True)
    """Id of the message. It is the same for all requests."""
    kind = models.CharField(max_length=24, choices=WebhookKind)
    about = models.CharField(max_length=80)
    """Key of the message within its kind, such as a match or a round, so that nothing is sent twice."""
    body = models.TextField()
    """Body as JSON, byte for byte as it is sent."""
    at = models.DateTimeField(db_default=Now(), editable=False)
    state = models.CharField(max_length=8, choices=DeliveryState, default=DeliveryState.DUE)
    next_at = models.DateTimeField(null=True, blank=True)
    """Time of the next request while the message is due. During a request: time after which the request counts as
    lost."""
    until = models.DateTimeField()
    """Time after which the message is given up."""
    tries = models.PositiveSmallIntegerField(default=0)
    tried_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """Time at which the owner last requested the message. None: they never did."""

    # Result of the last request
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    """HTTP status."""
    answer = models.CharField(max_length=500, blank=True, default="")
    """Beginning of the answer's body."""
    failure = models.CharField(max_length=16, blank=True, default="")
    """Value of `arena.host.posting.Failure`. Empty: there was an answer, or there has been no request."""
    detail = models.CharField(max_length=200, blank=True, default="")

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(fields=["webhook", "kind", "about"], name="delivery_once"),
            models.CheckConstraint(condition=Q(kind__in=WebhookKind.values), name="delivery_kind_known"),
            models.CheckConstraint(
                condition=Q(state="due", next_at__isnull=False)
                | Q(state__in=["received", "failed"], next_at__isnull=True),
                name="delivery_next_while_due",
            ),
        ]
        indexes = [
            models.Index(fields=["next_at"], name="delivery_due", condition=Q(state="due")),
            models.Index(fields=["webhook", "-id"], name="delivery_of_webhook"),
        ]

    def __str__(self) -> str:
        return f"{self.message} {self.kind}"


class BotPresence(models.Model):
    """Whether a bot is online, as last reported to its owner. The current presence is on the bus and can fluctuate."""

    bot = models.OneToOneField(Bot, primary_key=True, on_delete=models.CASCADE, related_name="presence")
    is_online = models.BooleanField(default=True)
    misses = models.PositiveSmallIntegerField(default=0)
    """Number of consecutive misses while the bot still counts as online."""
    changes = models.PositiveIntegerField(default=0)
    """Number of changes of `is_online`."""

    def __str__(self) -> str:
        return f"{self.bot_id} {self.is_online}"
