"""Words of webhooks, and their form."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from webui.bots.values import BotRef
from webui.webhooks.actions import check_url
from webui.webhooks.values import WebhookLine, WebhookRefusal, WebhookTerms

TEST: Final = "webhook.test"
KINDS: Final = {
    "match.finished": _("A match has finished"),
    "bot.fault": _("A bot has made faults in a match"),
    "bot.offline": _("A bot is offline"),
    "bot.online": _("A bot is online"),
    "version.taken_off": _("A version plays no rated matches any more"),
    "submission.built": _("A version that you handed in was built"),
    "submission.ready": _("A version that you handed in is ready"),
    "submission.failed": _("A version that you handed in has failed"),
    "event.round_drawn": _("A round of an event was drawn"),
    "event.results_revealed": _("Hidden results of an event were revealed"),
    "event.finished": _("An event has finished"),
    TEST: _("Test message"),
}
"""Words for the kinds of messages."""

OFF: Final = {
    "owner": _("You have switched it off."),
    "gone": _("The receiver answered 410: it is gone."),
    "failing": _("It received nothing for five days."),
}
"""Words for the reasons why a webhook is off."""

FAILURES: Final = {
    "NO_ADDRESS": _("The name has no address."),
    "NOT_PUBLIC": _("The address is not on the public internet: nothing was sent."),
    "NO_CONNECTION": _("There was no connection."),
    "NO_TLS": _("The certificate is not valid for this name, or the TLS handshake failed."),
    "TIMEOUT": _("There was no answer in time."),
    "NO_HTTP": _("The answer was not valid HTTP/1.1."),
}
"""Words for the reasons why there was no answer."""

REFUSALS: Final = {
    "URL": _("Write it as https://example.org/hook, in ASCII, with at most 500 characters."),
    "CREDENTIALS": _("Leave out name, password and fragment: the signature says who sends."),
    "PORT": _("The port is 80, 443, or 1024 and above."),
    "PRIVATE": _("Messages are sent only to the public internet, and not to this arena."),
}
"""Words for the reasons why an address is refused."""


class WebhookForm(forms.Form):
    """The address and the messages of a webhook."""

    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_("Where your program accepts POST requests: an http address or, better, https."),
        error_messages={"required": REFUSALS["URL"]},
        widget=forms.URLInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "placeholder": "https://example.org/hook"}
        ),
    )
    kinds = forms.MultipleChoiceField(
        label=_("Its messages"),
        choices=[(kind, words) for kind, words in KINDS.items() if kind != TEST],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    bot = forms.ChoiceField(
        label=_("Of which bot"), required=False, help_text=_("Only messages that are about this bot of yours.")
    )
    event = forms.ChoiceField(
        label=_("Of which event"), required=False, help_text=_("Only messages of what happens in this event.")
    )

    def __init__(
        self,
        bots: list[BotRef],
        events: list[tuple[str, str]],
        data: Any = None,
        *,
        hook: WebhookLine | None = None,
    ) -> None:
        initial: dict[str, Any] = {"kinds": [kind for kind in KINDS if kind != TEST]}
        if hook is not None:
            initial = {"url": hook.url, "kinds": hook.kinds, "bot": hook.bot.slug if hook.bot else ""}
            initial["event"] = hook.event
            if hook.event and hook.event not in dict(events):
                events = [*events, (hook.event, hook.event_name)]
        super().__init__(data, initial=initial)
        fields: Any = self.fields
        fields["bot"].choices = [("", _("all bots")), *((bot.slug, bot.name) for bot in bots)]
        fields["event"].choices = [("", _("everywhere, in events and outside")), *events]

    def clean_url(self) -> str:
        """Return the address. Reject it if messages cannot be sent there."""
        url = str(self.cleaned_data["url"])
        try:
            check_url(url)
        except WebhookRefusal as error:
            raise forms.ValidationError(REFUSALS[error.reason]) from error
        return url

    def terms(self) -> WebhookTerms:
        """Return the terms for the actions."""
        data = self.cleaned_data
        return WebhookTerms(data["url"], data["kinds"], data["bot"], data["event"])
