"""All that the arena knows of a person, as documents."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import Any

from webui.ladder.models import AuditEntry, BotVersion, Comparison, EventBot, Exclusion, Participant, User
from webui.ladder.queries.accounts import audit, second_factors, sessions
from webui.ladder.queries.bots import own_bots
from webui.ladder.queries.challenges import accepted_challenges, challenges_by
from webui.ladder.queries.events import own_events
from webui.ladder.queries.following import digest_choice, follows
from webui.ladder.queries.hidden import is_hidden
from webui.ladder.queries.notices import notices, wants_mail
from webui.ladder.queries.tokens import api_tokens
from webui.ladder.queries.webhooks import deliveries, webhooks
from webui.ladder.values import NotFound, OwnBot, TokenLine

Document = dict[str, Any]


def personal_data(user_id: int) -> dict[str, Document | list[Document]]:
    """The account, where it is signed in, its bots with versions and tokens, and its history, by subject; all but
    `personal_matches`. No secrets."""
    user = User.objects.filter(pk=user_id).first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    return {
        "account": _account(user),
        "bots": [_bot(own) for own in own_bots(user_id)],
        "events": _events(user_id),
        "challenges": _challenges(user_id),
        "notices": [
            {"at": _time(line.at), "event": line.event, "about": line.about, "what": line.kind, **line.data}
            for line in notices(user_id, sys.maxsize)
        ],
        "following": [
            {"bot": line.bot.name if line.bot else None, "author": line.author or None, "since": _time(line.since)}
            for line in follows(user_id)
        ],
        "webhooks": _webhooks(user_id),
        "history": _history(user_id),
    }


def personal_matches(user_id: int) -> Iterator[Document]:
    """The seats of a user's bots, the oldest first: there may be very many."""
    seats = Participant.objects.filter(version__bot__owner=user_id).exclude(is_hidden("match__")).order_by("pk")
    columns = ("match_id", "match__created_at", "match__state", "version__bot__name", "version__name", "seat",
               "placement", "score", "forfeit_reason")  # fmt: skip
    for match, at, state, bot, version, seat, placement, score, forfeit in seats.values_list(*columns).iterator(
        chunk_size=1000
    ):
        yield {
            "match": match, "made": _time(at), "state": state, "bot": bot, "version": version, "seat": seat,
            "placement": placement, "score": score, "forfeit": forfeit or None,
        }  # fmt: skip


def _account(user: User) -> Document:
    factors = second_factors(user.pk)
    return {
        "name": user.username,
        "email": user.email,
        "wants_emails": wants_mail(user.pk),
        "wants_digest": digest_choice(user.pk).is_wanted,
        "joined": _time(user.date_joined),
        "last_sign_in": _time(user.last_login),
        "authenticator_app": factors.has_app,
        "passkeys": [
            {"name": key.name, "added": _time(key.created_at), "last_used": _time(key.last_used_at)}
            for key in factors.passkeys
        ],
        "recovery_codes_left": factors.codes_left,
        "sessions": [
            {
                "address": line.address,
                "browser": line.agent,
                "signed_in": _time(line.created_at),
                "seen": _time(line.seen_at),
            }
            for line in sessions(user.pk)
        ],
        "api_tokens": [{**_token(token), "scopes": list(token.scopes)} for token in api_tokens(user.pk)],
    }


def _bot(own: OwnBot) -> Document:
    return {
        "name": own.bot.name,
        "description": own.description,
        "state": own.state,
        "retired": _time(own.retired_at),
        "challenges": asdict(accepted_challenges(own.bot.id)),
        "tokens": [_token(token) for token in own.tokens],
        "versions": [
            {"name": name, "since": _time(since), "note": note or "", "retired": _time(retired)}
            for name, since, note, retired in BotVersion.objects.filter(bot_id=own.bot.id)
            .order_by("pk")
            .values_list("name", "created_at", "note", "retired_at")
        ],
        "exclusions": [
            {
                "version": row.version.name,
                "at": _time(row.at),
                "forfeited_matches": row.matches,
                "examination_asked": _time(row.asked_at),
                "examination": row.examination_id,
                "ended": _time(row.ended_at),
            }
            for row in Exclusion.objects.filter(version__bot_id=own.bot.id).select_related("version").order_by("pk")
        ],
    }


def _events(user_id: int) -> Document:
    return {
        "organised": [
            {"event": line.slug, "name": line.name, "made": _time(line.created_at)} for line in own_events(user_id)
        ],
        "entries": [
            {"event": event, "bot": bot, "number": number}
            for event, bot, number in EventBot.objects.filter(bot__owner_id=user_id)
            .order_by("pk")
            .values_list("event__slug", "bot__name", "number")
        ],
    }


def _challenges(user_id: int) -> Document:
    return {
        "challenges": [
            {
                "made": _time(line.created_at),
                "state": line.state,
                "bots": [seat.bot.name for seat in line.seats],
                "match": line.match,
            }
            for line in challenges_by(user_id)
        ],
        "comparisons": [
            {"new": new, "old": old, "ordered": _time(at), "state": state, "blocks": scores}
            for new, old, at, state, scores in Comparison.objects.filter(owner_id=user_id)
            .order_by("created_at")
            .values_list("new__name", "old__name", "created_at", "state", "scores")
        ],
    }


def _webhooks(user_id: int) -> list[Document]:
    return [
        {
            "address": hook.url,
            "kinds": hook.kinds,
            "bot": hook.bot.name if hook.bot else None,
            "event": hook.event or None,
            "added": _time(hook.created_at),
            "off": hook.off or None,
            "messages": [
                {"at": _time(line.at), "id": line.message, "state": line.state, "body": line.body}
                for line in deliveries(hook.id)
            ],
        }
        for hook in webhooks(user_id)
    ]


def _history(user_id: int) -> Document:
    """What was done with the account; and what the user did with accounts of others, who are not named."""
    return {
        "account": [
            {
                "at": _time(line.at),
                "what": line.act,
                "subject": line.subject,
                "by": line.actor or "operator",
                "address": line.address,
            }
            for line in audit(user_id, most=AuditEntry.objects.filter(account_id=user_id).count())
        ],
        "elsewhere": [
            {"at": _time(at), "what": act, "address": address}
            for at, act, address in AuditEntry.objects.filter(actor_id=user_id)
            .exclude(account_id=user_id)
            .order_by("-pk")
            .values_list("at", "act", "address")
        ],
    }


def _token(token: TokenLine) -> dict[str, Any]:
    return {
        "start": token.prefix,
        "label": token.label,
        "issued": _time(token.created_at),
        "expires": _time(token.expires_at),
        "last_used": _time(token.last_used_at),
        "last_address": token.last_address,
        "revoked": _time(token.revoked_at),
    }


def _time(when: datetime | None) -> str | None:
    return when.isoformat() if when else None
