"""`arena diff`: find where two versions of a bot decide differently."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, get_args

import typer

from arena.cli.competitors import Form, NamedCompetitor, read_entrants
from arena.cli.files import InputError, print_json, printable, read_replays
from arena.cli.matches import match_ids, prove_match
from arena.cli.play_series import Interruptions, starts_of
from arena.cli.progress import progress
from arena.local.competitor import Competitor, NotStarted
from arena.local.differences import Answers, SharedRequest, ask_both, canonical, positions, sample
from arena.local.reproduction import NoReply
from arena.rules import Phase, ReplayError

SAMPLE: Final = 200
MOST: Final = 100_000
"""Maximum number of positions: the replays of all chosen positions are held in memory."""
SHOWN: Final = 20
Word = Annotated[
    str,
    typer.Argument(help="Python file of a bot (file.py:Class if several), a command in quotes, or a house player."),
]


def diff(
    old: Word,
    new: Word,
    over: Annotated[
        list[Path],
        typer.Option("--over", help="Replays: JSON, or one a line; compressed if named .gz, .zst. May be repeated."),
    ],
    size: Annotated[
        int, typer.Option("--sample", "-n", min=1, max=MOST, help="Number of positions, chosen at random.")
    ] = SAMPLE,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the random choice.")] = 0,
    phase: Annotated[
        list[str] | None, typer.Option("--phase", help="Only decisions of this phase: bid, move …; may be repeated.")
    ] = None,
    seat: Annotated[
        list[int] | None, typer.Option("--seat", min=1, max=5, help="Only decisions of this seat; may be repeated.")
    ] = None,
    twice: Annotated[
        bool, typer.Option("--twice", help="Ask everything twice, and report bots that change their answers.")
    ] = False,
    show: Annotated[int, typer.Option("--show", min=0, help="Number of differences listed.")] = SHOWN,
    site: Annotated[
        str | None,
        typer.Option("--site", help="The address of the arena's pages, for links.", envvar="ARENA_SITE"),
    ] = None,
    wait: Annotated[float, typer.Option(min=0.1, help="Seconds in which a program must say hello.")] = 60.0,
    json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> None:
    """Ask two bots the same positions of recorded matches, and list where they decide differently.

    For each position both bots get what a restarted process would get: the position and the events since the seat's
    last request, without anything earlier. No clock runs. Batches of actions are compared only as far as both go, so a
    batch equals its first action.

    Exit code: 0, or 2 for unusable input or a bot that does not play.
    """
    phases, seats = _phases(phase), frozenset(seat or ())
    entrants = read_entrants([old, new])
    if waiting := [entrant.words for entrant in entrants if entrant.form is Form.WAITING]:
        raise InputError(f"{waiting[0]} is an address: name a file, a command or a house player")
    try:
        chosen = sample(chain.from_iterable(map(read_replays, over)), size, seed, seats=seats, phases=phases)
    except ReplayError as error:
        raise InputError(f"{', '.join(map(str, over))}: {error}") from None
    if not chosen:
        raise InputError("there is no such decision in these replays")
    answered, left_out = [], 0
    with Interruptions(), ExitStack() as stack:
        bots = _start(entrants, wait, stack)
        with progress(sum(len(places) for _, places in chosen), "Asking") as advance:
            for document, places in chosen:
                recorded = prove_match(document, f"match {match_ids(document)}")
                is_played = all(bot.hello.plays(recorded.terms.ruleset) for bot in bots)
                left_out += 0 if is_played else len(places)
                for position in positions(recorded, places, phases) if is_played else ():
                    answered.append(_ask(bots, position, is_twice=twice))
                    advance()
    names = [entrant.words for entrant in entrants]
    if json:
        print_json(_document(names, answered, left_out, site))
    else:
        _print(names, answered, left_out, _ViewingHints(over, entrants, site), show, is_twice=twice)


def _phases(named: Sequence[str] | None) -> frozenset[str]:
    known = get_args(Phase)
    for name in named or ():
        if name not in known:
            raise InputError(f"there is no phase {name!r}; the phases are {', '.join(known)}")
    return frozenset(named or ())


def _start(entrants: Sequence[NamedCompetitor], wait_s: float, stack: ExitStack) -> tuple[Competitor, Competitor]:
    bots = []
    try:
        for start in starts_of(entrants, wait_s, stack, shows_output=False):
            bots.append(start())
            stack.callback(bots[-1].close)
        for bot in bots:
            bot.ready()
    except NotStarted as error:
        raise InputError(str(error)) from None
    return bots[0], bots[1]


def _ask(bots: tuple[Competitor, Competitor], position: SharedRequest, *, is_twice: bool) -> Answers:
    try:
        return ask_both(bots, position, is_twice=is_twice)
    except NoReply as error:
        where = f"match {position.match}, seat {position.seat}, decision {position.index}"
        raise InputError(printable(f"{where}: {error}")) from None


# Output


class _ViewingHints:
    """Builds the commands and links for looking at a position."""

    def __init__(self, over: Sequence[Path], entrants: Sequence[NamedCompetitor], site: str | None) -> None:
        """Debug the newer bot, or the older one if the newer is a house player, which is no program of the user's."""
        self._file = shlex.quote(str(over[0])) if len(over) == 1 else "FILE"
        bots = [entrant.words for entrant in entrants if entrant.form is not Form.HOUSE]
        self._bot = bots[-1] if bots else None
        self._site = site

    def of(self, position: SharedRequest) -> Iterator[str]:
        match = shlex.quote(position.match)
        if self._bot is not None:
            yield (
                f"arena debug {self._file} --match {match} --at {position.index} --seat {position.seat} -- {self._bot}"
            )
        if self._site is not None:
            yield page_of(self._site, position)


def page_of(site: str, position: SharedRequest) -> str:
    """Return the address of a match's page at a decision."""
    return f"{site.rstrip('/')}/matches/{position.match}/?d={position.index}"


def _document(names: Sequence[str], answered: Sequence[Answers], left_out: int, site: str | None) -> dict[str, Any]:
    totals, differ = _counts(answered)
    return {
        "format": "naqala/diff/1",
        "bots": list(names),
        "positions": len(answered),
        "left_out": left_out,
        "differ": sum(differ.values()),
        "not_steady": [sum(not answers.is_steady[place] for answers in answered) for place in range(2)],
        "phases": {phase: {"positions": totals[phase], "differ": differ[phase]} for phase in totals},
        "differences": [_difference(answers, site) for answers in answered if answers.differ],
    }


def _difference(answers: Answers, site: str | None) -> dict[str, Any]:
    position = answers.position
    return {
        "match": position.match,
        "index": position.index,
        "seat": position.seat,
        "phase": position.phase,
        "played": position.played,
        "actions": [canonical(reply) for reply in answers.replies],
        "wrong": list(answers.wrong),
        **({} if site is None else {"page": page_of(site, position)}),
    }


def _counts(answered: Sequence[Answers]) -> tuple[Counter[str], Counter[str]]:
    """Count by phase the positions asked and those where the bots differ, most positions first."""
    totals = Counter(answers.position.phase for answers in answered)
    differ = Counter(answers.position.phase for answers in answered if answers.differ)
    return Counter(dict(totals.most_common())), differ


def _print(
    names: Sequence[str], answered: Sequence[Answers], left_out: int, hints: _ViewingHints, show: int, *, is_twice: bool
) -> None:
    from rich.console import Console
    from rich.table import Table

    totals, differ = _counts(answered)
    table = Table("phase", title=printable(f"{names[0]} and {names[1]}"), title_justify="left")
    for title in ("positions", "differ", "rate"):
        table.add_column(title, justify="right")
    for phase in totals:
        table.add_row(phase, str(totals[phase]), str(differ[phase]), f"{differ[phase] / totals[phase]:.1%}")
    total, differing = len(answered), sum(differ.values())
    table.add_row("all", str(total), str(differing), f"{differing / total:.1%}" if total else "", style="bold")
    Console().print(table)
    if left_out:
        print(f"left out: {left_out} positions of games that one of them does not play")
    for place, name in enumerate(names):
        if unsteady := sum(not answers.is_steady[place] for answers in answered):
            print(
                printable(
                    f"{name} answered {unsteady} of {total} requests differently when it was asked again;"
                    " such positions do not count as different"
                )
            )
        elif is_twice:
            print(printable(f"{name} answered everything the same when it was asked again"))
    shown = [answers for answers in answered if answers.differ][:show]
    for answers in sorted(shown, key=lambda each: list(totals).index(each.position.phase)):
        _print_difference(names, answers, hints)
    if differing > len(shown):
        print(f"and {differing - len(shown)} more: --show {differing}, or --json")


def _print_difference(names: Sequence[str], answers: Answers, hints: _ViewingHints) -> None:
    position = answers.position
    print(printable(f"{position.phase}: match {position.match}, seat {position.seat}, decision {position.index}"))
    for name, reply, wrong in zip(names, answers.replies, answers.wrong, strict=True):
        actions = " ".join(map(repr, canonical(reply))) or "no action"
        print(printable(f"  {name}: {actions}{f' ({wrong})' if wrong else ''}"))
    print(printable(f"  then: {position.played!r}"))
    for line in hints.of(position):
        print(printable(f"  {line}"))
