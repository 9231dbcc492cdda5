"""Bots for load tests of an operator's own arena (`arena load`).

Each bot has its own account, because an account may make only a few challenges at a time. The bots play only
challenges. Their version waits for an examination that nobody has requested, so it gets no rated matches.
"""

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from webui.accounts.actions import create_user
from webui.accounts.values import OPERATOR
from webui.bots.actions import register_bot, register_version
from webui.bots.models import Bot, BotToken
from webui.bots.token_actions import issue_token
from webui.challenges.actions import accept_challenges
from webui.challenges.models import Accepts
from webui.challenges.values import MOST_AT_ONCE
from webui.core.errors import NameTaken
from webui.pairing.models import Exclusion

LOAD_VERSION: Final = "load"
"""Version with which the bots of `arena load` say hello."""
LABEL: Final = "load test"


@transaction.atomic
def make_load_bot(name: str, *, days: int) -> str:
    """Return a token for a bot of this name, valid for `days` days. The bot is made if it does not exist.

    The bot belongs to an account of the same name that cannot sign in. An existing bot keeps its matches, and its
    earlier tokens of this kind are revoked. Raise `NameTaken` if the name is that of another bot.
    """
    bot = Bot.objects.select_related("owner").filter(name=name).first()
    if bot is None:
        bot_id = register_bot(create_user(name, None), name, description="For load tests.")
        version = register_version(bot_id, LOAD_VERSION)
        Exclusion.objects.filter(version=version).delete()
        Exclusion.objects.create(version_id=version, matches=[])
        accept_challenges(bot_id, Accepts.ALL, MOST_AT_ONCE, (), by=OPERATOR)
    elif bot.owner.username == name and not bot.owner.has_usable_password():
        bot_id = bot.pk
        BotToken.objects.filter(bot=bot, label=LABEL, revoked_at=None).update(revoked_at=Now())
    else:
        raise NameTaken(f"the bot {name!r} is not for load tests: choose another name")
    return issue_token(bot_id, label=LABEL, days=days).token
