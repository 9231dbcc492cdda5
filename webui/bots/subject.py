"""The declaration of the subject of bots."""

from collections.abc import Iterator
from typing import Final

from webui.accounts.subject import unused_tokens
from webui.bots.erasure import erase_bots
from webui.bots.models import Bot, BotToken, BotVersion
from webui.bots.personal_data import bots_of
from webui.core.subjects import ADD, CHANGE, Rule, Subject


def _retention() -> Iterator[Rule]:
    yield Rule("addresses of tokens", unused_tokens(BotToken), {"last_address": ""})


SUBJECT: Final = Subject(
    gateway_rights={
        Bot: {"SELECT": (), "UPDATE": ("created_at",)},  # a column that never changes, to lock rows
        BotVersion: {**ADD, "UPDATE": ("note", "is_ready"), "DELETE": ()},  # released ones, which nothing refers to
        BotToken: {"SELECT": (), "UPDATE": ("last_used_at", "last_address")},
    },
    site_rights={
        **dict.fromkeys((Bot, BotToken), CHANGE),
        BotVersion: {**ADD, "UPDATE": ("note", "is_ready", "retired_at")},
    },
    retention=_retention,
    personal_data=bots_of,
    erase=erase_bots,
)
