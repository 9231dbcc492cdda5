"""`arena event`: prove a tournament or league from its public document and the replays of its matches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena.cli.files import MAX_EVENT, InputError, print_json, printable, read_replays
from arena.cli.lazy import CommandTable, Lazy, LazyGroup
from arena.cli.offers import read_offers
from arena.cli.replay import NOT_VALID
from arena.cli.verifying import Verified, find_keys, lines, summary, verify_document
from arena.events import NotProved, TableGame
from arena.events.values import without
from arena.events.verify import EventProof, ResultClaim, Word, prove_facts
from arena.host.signing import SignatureError
from arena.rules import ReplayError

_API: Final = "arena.cli.event_api"


class EventGroup(LazyGroup):
    """The commands of this module, and those of modules that are loaded when called."""

    table = CommandTable(
        {
            "check": Lazy("arena.cli.event_check", "check", "Check an event's terms, and try it out."),
            "new": Lazy(_API, "new", "Create an event from its terms."),
            "list": Lazy(_API, "listing", "All events."),
            "show": Lazy(_API, "show", "The standings of an event."),
            "publish": Lazy(_API, "publish", "Open an event to entrants."),
            "enter": Lazy(_API, "enter", "Enter bots."),
            "leave": Lazy(_API, "leave", "Withdraw a bot."),
            "start": Lazy(_API, "start", "Freeze the field and start."),
            "pause": Lazy(_API, "pause", "Schedule nothing more until it is resumed."),
            "resume": Lazy(_API, "resume", "Resume a paused event."),
            "reveal": Lazy(_API, "reveal", "Show hidden results."),
            "again": Lazy(_API, "again", "Have games played again."),
            "disqualify": Lazy(_API, "disqualify", "Put an entrant last in all its games."),
            "cancel": Lazy(_API, "cancel", "Cancel an event."),
            "export": Lazy(_API, "export", "Write an event's document and replays for verification."),
        }
    )


app = typer.Typer(cls=EventGroup, no_args_is_help=True)

SENTENCES: Final[Mapping[Word, str]] = {
    Word.FIELD: "who entered and left, and how strong each was when it was seeded",
    Word.TIMES: "when things happened",
    Word.ABSENCES: "who did not come in time",
    Word.RULINGS: "results, repetitions and disqualifications by a person's decision",
    Word.FREE: "who was free whenever tables were drawn",
    Word.RATED: "whether its matches counted on the ladder",
    Word.RESULTS: "results of games that were not matches of the arena",
}


@app.callback()
def commands() -> None:
    """Tournaments and leagues: prove them, and hold them on an arena."""


@app.command()
def verify(
    file: Annotated[
        Path,
        typer.Argument(
            help="The document of an event (JSON). To prove its results too, append the replays of its matches, "
            "one a line. Compressed if named .gz or .zst."
        ),
    ],
    key: Annotated[
        list[str] | None,
        typer.Option("--key", help="Require replays signed with this public key: 64 hex digits, or a file of keys."),
    ] = None,
    arena: Annotated[
        str | None, typer.Option("--arena", help="Require replays signed by the arena at this https:// address.")
    ] = None,
    offers: Annotated[
        Path | None,
        typer.Option("--offers", help="Look each match up in this copy of an arena's log of offers."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Prove an event: seed, draws, seats, byes, results, tie-breaks, standings.

    Every round is drawn again from the earlier facts and the revealed seed. Every replay is proved as by `arena replay
    verify` and compared with its result.

    Exit code 1 if a fact does not follow; the first such fact is named, counted from 0. Everything that only the arena
    can vouch for is listed.
    """
    keys = find_keys(key or [], arena)
    if offers is not None and not keys:
        raise InputError("--offers needs --key or --arena: without a signature anybody can write such a log")
    published = read_offers(offers, keys) if offers is not None else None
    documents = read_replays(file, MAX_EVENT)
    try:
        proof = prove_facts(next(documents, None))
        verified = _verify_results(proof, documents, keys, published)
    except NotProved as error:
        if error.code == "BAD_FORMAT":
            raise InputError(f"{file} is not an event: {error}") from None
        _show_failure(file, error, json)
        raise typer.Exit(NOT_VALID) from None
    _show(file, proof, verified, json)


def _verify_results(
    proof: EventProof,
    replays: Iterator[Any],
    keys: Mapping[str, bytes],
    offers: Mapping[str, Mapping[str, Any]] | None,
) -> list[Verified] | None:
    """Compare every result with its replay. Return `None` if there are no replays.

    Replays of void results are skipped. The first fact that does not follow is reported, whether facts or replays show
    it.
    """
    due = {claim.match: claim for claim in proof.claims}
    verified: list[Verified] = []
    wrong: list[NotProved] = [proof.failure] if proof.failure else []
    is_there = False
    for replay in replays:
        is_there = True
        claim = due.pop(str(replay.get("match")), None) if isinstance(replay, dict) else None
        if claim is None:
            continue
        try:
            verified.append(verify_document(replay, dict(keys), None, offers))
            check_result(claim, replay)
        except NotProved as error:
            wrong.append(error)
        except (ReplayError, SignatureError) as error:
            wrong.append(NotProved("REPLAY", claim.number, f"the replay of match {claim.match} is not valid: {error}"))
    if not is_there and not wrong:
        return None
    if is_there:
        wrong += [
            NotProved("NO_REPLAY", claim.number, f"there is no replay of match {claim.match}") for claim in due.values()
        ]
    if wrong:
        # A failure that follows from all facts together comes last.
        raise min(wrong, key=lambda error: (error.number < 0, error.number))
    return verified


def check_result(claim: ResultClaim, replay: Mapping[str, Any]) -> None:
    """Compare a result with the proved replay of its match. Raises `NotProved` at the first difference."""

    def compare(code: str, what: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            raise NotProved(
                code, claim.number, f"match {claim.match}: {what} by the replay is {ours!r:.200}, not {theirs!r:.200}"
            )

    if replay.get("verdict") is None:
        raise NotProved("REPLAY", claim.number, f"match {claim.match}: the replay is not from a match of an arena")
    compare("RESULT", "the number of seats", len(replay["seats"]), len(claim.seats))
    seats = zip(claim.game.seats, replay["seats"], claim.seats, strict=True)
    there = [((seat["name"], seat["version"]), due) for number, seat, due in seats if number not in claim.game.out]
    compare("SEATS", "names and versions", [played for played, _ in there], [due for _, due in there])
    compare("RULESET", "the game", replay["ruleset"], dict(claim.ruleset))
    for name, agreed in (("clock", claim.clock), ("policy", claim.policy)):
        played = {key: replay[name].get(key) for key in agreed}
        compare(name.upper(), f"the {name}", played, dict(agreed))
    compare("DEAL", "the deal", replay.get("deal"), claim.deal.hex() if claim.deal else None)
    placements = tuple(replay["verdict"]["placements"] or ())
    compare("RESULT", "the number of placements", len(placements), len(claim.seats))
    played_game = without(TableGame(claim.game.seats, placements), claim.game.out)
    compare("PLACEMENTS", "the placements", played_game.placements, without(claim.game, ()).placements)
    result = replay["result"]  # None if the match ended by a forfeit before its game did
    scores = tuple(score["total"] for score in result["scores"]) if result is not None else None
    compare("SCORES", "the scores", scores, claim.game.scores)


def _show_failure(file: Path, error: NotProved, json: bool) -> None:
    if json:
        print_json({"file": str(file), "valid": False, "fact": error.number, "code": error.code, "message": str(error)})
    else:
        print(printable(f"{file}: the event is not valid: {error} ({error.code})"))


def _show(file: Path, proof: EventProof, verified: list[Verified] | None, json: bool) -> None:
    event = proof.event
    if json:
        print_json(
            {
                "file": str(file),
                "valid": True,
                "event": event.terms.name,
                "facts": event.length,
                "draws": proof.draws,
                "results": len(proof.claims),
                "results_proved": verified is not None,
                "not_proved": [str(word) for word in proof.not_proved],
                "replays": summary(verified) if verified is not None else None,
            }
        )
        return
    head = f"{file}: {event.terms.name}, {event.length} facts, {proof.draws} rounds, {len(proof.claims)} results, valid"
    output = [head, "  proved: the seed is the one that was committed to before bots entered"]
    output.append(
        "  proved: every table, seat, bye and label of every round follows from the facts before it and the seed"
    )
    output.append("  proved: points, tie-breaks and standings follow from the results")
    if verified is None:
        output.append("  not proved: results, because the file has no replays")
    else:
        output.append(
            "  proved: names, versions, game, clock, deal, placements and scores of every result match its replay"
        )
    output += [f"  not proved: {SENTENCES[word]}" for word in proof.not_proved]
    if verified:
        output.append("of every replay:")
        output += lines(summary(verified))
    print(printable("\n".join(output)))
