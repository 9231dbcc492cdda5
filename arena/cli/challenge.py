"""`arena bot challenge`: an unrated match of your bot, at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from operator import itemgetter
from typing import Annotated, Any, Final

import typer

from arena.cli.api import NEAR_SITE, Api, SiteAddress
from arena.cli.bot import Token
from arena.cli.fetching import Away
from arena.cli.files import InputError, print_json, printable

LOOK_S: Final = 2.0
MOST_FAILURES: Final = 15
"""Maximum number of failed polls in a row; the challenge continues without this command."""
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
        str | None, typer.Option(metavar="MATCH", help="Play this challenge's match again with rotated seats.")
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(help="Your bot, if the token is an API token of your account instead of the bot's own."),
    ] = None,
    site: SiteAddress = NEAR_SITE,
    token: Token = "",
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Challenge house bots, or other bots that accept challenges, to an unrated match.

    Your bot must be online: `arena bot run` in another terminal. The match starts as soon as every bot has a free
    place; a challenge waits ten minutes. Ctrl-C withdraws it.

    Exit code: 0 played, 1 not played, 2 refused by the arena (also for a wrong token) or unusable input.
    """
    if (rematch is None) == (not opponents):
        raise typer.BadParameter("give either opponents or --rematch")
    if not token:
        raise typer.BadParameter("set ARENA_TOKEN or give --token; create a token on the bot's page in the arena")
    api = Api(site, token)
    if rematch is not None:
        made = api.write("POST", "matches", rematch, "rematch")
    else:
        own = {"bot": bot} if bot else {}
        seats = [
            {**own, "version": opponent[1:]} if opponent.startswith("@") else {"bot": opponent}
            for opponent in opponents or ()
        ]
        if seat > len(seats) + 1:
            raise typer.BadParameter(f"there are {len(seats) + 1} seats")
        seats.insert(seat - 1, {**own, "version": version} if version else own)
        made = api.write("POST", "challenges", body={"seats": seats, "expansions": expansion or []})
    _check(made)
    print(printable(f"seats 1 to {len(made['seats'])}: {', '.join(map(_player, made['seats']))}"), file=sys.stderr)
    last = _followed(api, made)
    if json:
        print_json(last)
    else:
        print(printable(_sentence(last)))
    raise typer.Exit(0 if last["match_state"] == "finished" else NOT_PLAYED)


def _check(challenge: Mapping[str, Any]) -> None:
    seats, places, scores = (challenge.get(name) for name in ("seats", "placements", "scores"))
    is_challenge = (
        "match_state" in challenge
        and all(isinstance(challenge.get(name), str) for name in ("id", "state", "expires_at", "url"))
        and isinstance(seats, list)
        and all(isinstance(seat, dict) and {"name", "state"} <= seat.keys() for seat in seats)
        and isinstance(places, list)
        and isinstance(scores, list)
        and (challenge["match_state"] != "finished" or len(seats) == len(places) == len(scores))
        and all(isinstance(place, int) for place in places)
    )
    if not is_challenge:
        raise InputError("this is not an arena: its answer is not a challenge")


def _followed(api: Api, challenge: dict[str, Any]) -> dict[str, Any]:
    """Return the state of the challenge once it or its match has ended. Ctrl-C withdraws a waiting challenge."""
    shown, failures, wait_s = "", 0, LOOK_S
    try:
        while challenge["state"] == "waiting" or challenge["match_state"] in ("scheduled", "running"):
            if (now := _now(challenge)) != shown:
                print(printable(now), file=sys.stderr, flush=True)
                shown = now
            time.sleep(wait_s)
            try:
                challenge, failures, wait_s = api.get("challenges", challenge["id"]), 0, LOOK_S
                _check(challenge)
            except Away as error:
                failures, wait_s = failures + 1, max(LOOK_S, error.wait_s)
                if failures >= MOST_FAILURES:
                    raise InputError(str(error)) from None
    except KeyboardInterrupt:
        challenge = api.write("DELETE", "challenges", challenge["id"])
    return challenge


def _now(challenge: Mapping[str, Any]) -> str:
    """Describe what the challenge waits for, or where it is played."""
    if challenge["state"] != "waiting":
        return f"playing: {challenge['url']}"
    absent = [seat["name"] for seat in challenge["seats"] if seat["state"] == "offline"]
    others = [seat["name"] for seat in challenge["seats"] if seat["state"] == "other game"]
    if absent:
        return f"waiting until {challenge['expires_at'][11:16]} UTC: offline: {', '.join(absent)}"
    if others:
        return f"waiting: this game is not played by {', '.join(others)}"
    return "waiting for a free place of each bot"


def _player(seat: Mapping[str, Any]) -> str:
    """Return a bot's name, with its version if known."""
    return f"{seat['name']} {seat['version']}" if seat.get("version") else str(seat["name"])


def _points(score: int | None) -> str:
    return "no score" if score is None else f"{score} points"


def _sentence(challenge: Mapping[str, Any]) -> str:
    """Describe the result of the challenge."""
    if challenge["match_state"] == "finished":
        seated = zip(challenge["placements"], map(_player, challenge["seats"]), challenge["scores"], strict=True)
        lines = [f"{place}. {player}: {_points(score)}" for place, player, score in sorted(seated, key=itemgetter(0))]
        return "\n".join([*lines, challenge["url"]])
    if challenge["match_state"]:
        return f"{challenge['match_state']}: {challenge['url']}"
    return f"{challenge['state']}: no match was made"
