"""`--until "A > B at 95%"`: a question about two competitors, answered block by block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from arena.cli.competitors import NamedCompetitor
from arena.cli.files import InputError
from arena.cli.trials import EXIT_CODES, document, sentence
from arena.local.results import GameResult, halves_of_block
from arena.ratings.sequential import Answer, Hypotheses, Trial

QUESTION = re.compile(r"\s*(.+?)\s*>\s*(.+?)\s+at\s+(\d+(?:\.\d+)?)\s*%\s*")


class Question:
    """The question whether one competitor is better than another."""

    def __init__(self, text: str, one: int, other: int, hypotheses: Hypotheses) -> None:
        self._text = text
        self._sides = one, other
        self._trial = Trial(hypotheses)
        self._block: list[GameResult] = []

    def add(self, game: GameResult) -> bool:
        """Add the next game. Return whether the answer is known."""
        self._block.append(game)
        if len(self._block) == self._trial.hypotheses.players:
            self._trial.add(halves_of_block(self._block, *self._sides))
            self._block = []
        return self._trial.answer is not None

    @property
    def code(self) -> int:
        """The exit code."""
        return EXIT_CODES[self._trial.answer or Answer.OPEN]

    def sentence(self) -> str:
        """Return the answer as text."""
        if not self._trial.blocks:
            return f"{self._text}: no block was played to its end"
        return f"{self._text}: {sentence(self._trial)}"

    def document(self) -> dict[str, Any]:
        """Return the answer as JSON."""
        return {"asked": self._text, **(document(self._trial) if self._trial.blocks else {"answer": None})}


def read_question(text: str, entrants: Sequence[NamedCompetitor], blocks: int) -> Question:
    """Return the question, to be answered in at most `blocks` blocks. Raises `InputError`."""
    match = QUESTION.fullmatch(text)
    if match is None:
        raise InputError(f'--until needs a question such as "mybot > greedy at 95%", not {text!r}')
    error = round(1 - float(match[3]) / 100, 6)
    if not 0 < error < 0.5:
        raise InputError(f"--until: the confidence must be above 50 and below 100 %, not {match[3]} %")
    one, other = (_number_of(name, entrants) for name in (match[1], match[2]))
    if one == other:
        raise InputError("--until asks about one competitor twice: name two")
    return Question(text.strip(), one, other, Hypotheses(len(entrants), most=blocks, alpha=error, beta=error))


def _number_of(name: str, entrants: Sequence[NamedCompetitor]) -> int:
    """Return the number, from 0, of a competitor given by its name, or by its number from 1."""
    meant = [
        number
        for number, entrant in enumerate(entrants)
        if entrant.is_called(name) or name == f"{number + 1} {entrant.name}"  # as tables print it
    ]
    if not meant and name.isdecimal() and 1 <= int(name) <= len(entrants):
        return int(name) - 1
    names = ", ".join(f"{number} {entrant.name}" for number, entrant in enumerate(entrants, start=1))
    if len(meant) > 1:
        raise InputError(f"--until: several competitors are called {name!r}; give the number of one: {names}")
    if not meant:
        raise InputError(f"--until: no competitor is called {name!r}; there are {names}")
    return meant[0]
