"""`arena bot challenge`: an unrated match of your bot, at once."""

from __future__ import annotations

import json as jsonlib
import re
import sys
import time
from collections.abc import Mapping
from http import HTTPStatus
from http.client import HTTPException
from operator import itemgetter
from typing import Annotated, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

import typer

from arena.cli.bot import Token
from arena.cli.files import MAX_DOCUMENT, InputError, parse_document, print_json, printable
from arena.host.proxies import LOOPBACK

LOOK_S: Final = 2.0
TIMEOUT_S: Final = 20
MOST_FAILURES: Final = 15
"""Looks in a row that may fail: the challenge goes on without us."""
BUSY_S: Final = 10
"""Until the next look, where the arena asks for fewer and does not say when."""
MOST_WAIT_S: Final = 60
"""However many seconds the arena asks for."""
NOT_PLAYED: Final = 1


def challenge(
    opponents: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[OPPONENT]…",
            help="Bots in the order of their seats: a name, or @VERSION for another version of your bot.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option(min=1, max=5, help="The seat of your bot.")] = 1,
    version: Annotated[str | None, typer.Option(help="The version of your bot; by default the newest online.")] = None,
    expansion: Annotated[
        list[str] | None,
        typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
    ] = None,
    rematch: Annotated[
        str | None, typer.Option(metavar="MATCH", help="Play this challenge's match again, the seats turned.")
    ] = None,
    site: Annotated[
        str, typer.Option(help="The address of the arena's pages, as in the browser.", envvar="ARENA_SITE")
    ] = "http://127.0.0.1:8000",
    token: Token = "",
    json: Annotated[bool, typer.Option("--json", help="Print what came of it as one JSON object.")] = False,
) -> None:
    """Challenge bots of the house, or others that accept it, to an unrated match.

    Your bot must be online: `arena bot run` in another terminal. The match begins as
    soon as every bot has a free place; a challenge waits ten minutes. Ctrl-C withdraws it.

    Exit code: 0 played, 1 not played, 2 refused by the arena (a wrong token, too), or input that cannot be used.
    """
    if (rematch is None) == (not opponents):
        raise typer.BadParameter("name opponents, or a match with --rematch, one of the two")
    if not token:
        raise typer.BadParameter("set ARENA_TOKEN, or give --token; the bot's page in the arena makes one")
    api = _Api(site, token)
    if rematch is not None:
        order: dict[str, Any] = {"rematch": rematch}
    else:
        seats = [_seat(one) for one in opponents or ()]
        if seat > len(seats) + 1:
            raise typer.BadParameter(f"there are {len(seats) + 1} seats")
        seats.insert(seat - 1, {"version": version} if version else {})
        order = {"seats": seats, "expansions": expansion or []}
    made = api.call("POST", "", order)
    print(printable(f"seats 1 to {len(made['seats'])}: {', '.join(map(_player, made['seats']))}"), file=sys.stderr)
    last = _followed(api, made)
    if json:
        print_json(last)
    else:
        print(printable(_sentence(last)))
    raise typer.Exit(0 if last["match_state"] == "finished" else NOT_PLAYED)


def _seat(word: str) -> dict[str, str]:
    return {"version": word[1:]} if word.startswith("@") else {"bot": word}


def _followed(api: _Api, found: dict[str, Any]) -> dict[str, Any]:
    """How the challenge stands when it has ended, or its match has. Ctrl-C withdraws one that waits."""
    said, failures, wait_s = "", 0, LOOK_S
    try:
        while found["state"] == "waiting" or found["match_state"] in ("scheduled", "running"):
            if (now := _now(found)) != said:
                print(printable(now), file=sys.stderr, flush=True)
                said = now
            time.sleep(wait_s)
            try:
                found, failures, wait_s = api.call("GET", found["id"]), 0, LOOK_S
            except _Away as error:
                failures, wait_s = failures + 1, max(LOOK_S, error.wait_s)
                if failures >= MOST_FAILURES:
                    raise InputError(str(error)) from None
    except KeyboardInterrupt:
        found = api.call("DELETE", found["id"])
    return found


def _now(found: Mapping[str, Any]) -> str:
    """What it waits for, or where it is played."""
    if found["state"] != "waiting":
        return f"playing: {found['url']}"
    absent = [one["bot"] for one in found["seats"] if one["state"] == "offline"]
    others = [one["bot"] for one in found["seats"] if one["state"] == "other game"]
    if absent:
        return f"waiting until {found['expires_at'][11:16]} UTC: offline: {', '.join(absent)}"
    if others:
        return f"waiting: this game is not played by {', '.join(others)}"
    return "waiting for a free place of each bot"


def _player(seat: Mapping[str, Any]) -> str:
    """A bot, and its version as far as it is known."""
    return f"{seat['bot']} {seat['version']}" if seat.get("version") else str(seat["bot"])


def _points(score: int | None) -> str:
    return "no score" if score is None else f"{score} points"


def _sentence(found: Mapping[str, Any]) -> str:
    """What came of it."""
    if found["match_state"] == "finished":
        scores = found.get("scores") or [None] * len(found["seats"])
        seated = zip(found["placements"], map(_player, found["seats"]), scores, strict=True)
        lines = [f"{place}. {player}: {_points(score)}" for place, player, score in sorted(seated, key=itemgetter(0))]
        return "\n".join([*lines, found["url"]])
    if found["match_state"]:
        return f"{found['match_state']}: {found['url']}"
    return f"{found['state']}: no match was made"


class _Away(Exception):
    """The arena does not answer, or asks for fewer looks."""

    def __init__(self, message: str, wait_s: int = 0) -> None:
        super().__init__(message)
        self.wait_s = wait_s
        """Seconds until it may be asked again, if it says so."""


class _Api:
    """The arena's challenges, as the bot of a token sees them."""

    def __init__(self, site: str, token: str) -> None:
        parts = urlsplit(site)
        is_near = parts.scheme == "http" and parts.hostname in ("localhost", *LOOPBACK)
        if not parts.netloc or not (parts.scheme == "https" or is_near):
            raise InputError(f"the arena's address begins with https:// (on this machine http://), not {site!r:.80}")
        self._address = f"{site.rstrip('/')}/api/challenges/"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, challenge: str, order: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The challenge that the answer shows. `InputError` with what is refused, `_Away` on a look that fails."""
        address = self._address + (f"{quote(challenge, safe='')}/" if challenge else "")
        data = None if order is None else jsonlib.dumps(order).encode()
        request = Request(address, data, self._headers, method=method)  # noqa: S310 - the scheme was checked
        try:
            with build_opener(_NoRedirects).open(request, timeout=TIMEOUT_S) as answer:
                found = parse_document(answer.read(MAX_DOCUMENT).decode())
        except HTTPError as error:
            if (error.code >= 500 or error.code == HTTPStatus.TOO_MANY_REQUESTS) and method == "GET":
                raise _Away(f"{address} answers {error.code}", _wait_s(error)) from None
            raise InputError(_refusal(error)) from None
        except (URLError, OSError, HTTPException) as error:
            if method == "GET":
                raise _Away(f"cannot reach {address}: {error}") from None
            raise InputError(f"cannot reach {address}: {error}") from None
        except ValueError as error:
            raise InputError(f"{address} is no arena: {error}") from None
        if not isinstance(found, dict) or "match_state" not in found:
            raise InputError(f"{address} is no arena")
        return found


def _wait_s(error: HTTPError) -> int:
    """Seconds until the arena may be asked again: Retry-After, if it is a number (RFC 9110, 10.2.3)."""
    after = error.headers.get("Retry-After", "").strip()
    if re.fullmatch("[0-9]{1,9}", after):
        return min(int(after), MOST_WAIT_S)
    return BUSY_S if error.code == HTTPStatus.TOO_MANY_REQUESTS else 0


def _refusal(error: HTTPError) -> str:
    """Why the arena refuses, in one line."""
    try:
        document = parse_document(error.read(MAX_DOCUMENT).decode())
        return f"the arena refuses the challenge: {document['message']}"
    except (ValueError, TypeError, KeyError, OSError, HTTPException):
        return f"the arena answers {error.code} {error.reason}"


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """The token goes where the user sends it, and nowhere else."""
        return
