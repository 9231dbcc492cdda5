"""The declaration of the subject of bots."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.db.models import Max
from django.urls import reverse

from webui.accounts.subject import unused_tokens
from webui.bots.models import Bot, BotToken, BotVersion
from webui.bots.personal_data import bots_of, erase_bots
from webui.core.subjects import ADD, CHANGE, Rule, Sitemap, Subject


def _retention() -> Iterator[Rule]:
    yield Rule("addresses of tokens", unused_tokens(BotToken), {"last_address": ""})


def _sitemaps() -> Iterator[Sitemap]:
    yield Sitemap("bots", Bot.objects.aggregate(last=Max("pk"))["last"] or 0, _bot_pages)


def _bot_pages(first: int, last: int) -> Iterator[tuple[str, datetime | None]]:
    slugs = Bot.objects.filter(pk__range=(first, last), is_person=False).order_by("pk").values_list("slug", flat=True)
    return ((reverse("bot", args=[slug]), None) for slug in slugs)


SUBJECT: Final = Subject(
    gateway_rights={
        Bot: {"SELECT": (), "UPDATE": ("created_at", "is_hosted")},  # the first never changes: it locks rows
        BotVersion: {
            **ADD,
            "UPDATE": ("note", "is_ready", "is_hosted"),
            "DELETE": (),
        },  # released ones, which nothing refers to
        BotToken: {"SELECT": (), "UPDATE": ("last_used_at", "last_address")},
    },
    site_rights={
        **dict.fromkeys((Bot, BotToken), CHANGE),
        BotVersion: {**ADD, "UPDATE": ("note", "is_ready", "retired_at")},
    },
    retention=_retention,
    personal_data=bots_of,
    erase=erase_bots,
    pages=lambda: [reverse("bots")],
    sitemaps=_sitemaps,
)
