"""A played trial as its page shows it: each decision of the bot, with what the bot wrote there, beside the table."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Final

from django.core.cache import caches
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from arena.hosting.limits import TRIAL_PROCESSOR_S
from arena.hosting.messages import TrialFault, TrialOutcome, TrialOutput
from arena.referee import Verdict
from webui.board.drawing import draw_board
from webui.bots.values import BotRef, VersionRef
from webui.core.compress import pack
from webui.core.static_files import edition
from webui.matches.values import SeatLine
from webui.replays.frames import LEVELS, frames_document
from webui.replays.parts import ShownTable, table_parts
from webui.replays.replay import FinishedReplay
from webui.writing.lessons import ShownVerdict, shown_verdict
from webui.writing.values import TrialValue

SEAT: Final = 1
"""Seat of the bot in every trial."""
LINE: Final = re.compile(r'(?:File "/bot/bot\.py", line |\(bot\.py:)(\d+)')
"""A line of the program in an exception."""


@dataclass(frozen=True)
class TrialStep:
    """A decision of the bot, or the end of the game."""

    number: int
    """Number in the list, from 1."""
    ply: int
    """Ply before the decision."""
    action: str
    """Action that was played, in the notation. Empty at the end."""
    output: str
    error: str
    """Exception of the bot. Empty if there was none."""
    line: int
    """Line of the program where the exception was raised. 0 if none is known."""
    fault: str = ""
    """Reason of a fault of the bot, such as `LATE`. Empty if there was none."""
    answer: str = ""
    """Answer of the bot, if it was at fault."""
    message: str = ""
    """The fault in words. Empty if there was none."""
    is_forfeit: bool = False
    """Whether the bot forfeited there."""
    lesson: str = ""
    """Verdict of a lesson's check on the decision, if it is wrong. Otherwise empty."""


@dataclass(frozen=True)
class TrialCheck:
    """One line of an examination."""

    is_passed: bool
    text: str
    is_skipped: bool = False
    """Whether an earlier check has failed, so that this one was not made."""


@dataclass(frozen=True)
class ShownTrial:
    """A trial that was played, or whose bot could not begin."""

    outcome: TrialOutcome
    before: TrialStep | None
    """Output of the bot before its first decision. None if there is none."""
    steps: list[TrialStep]
    number: int
    """Number of the step that the page shows."""
    table: ShownTable | None
    checks: list[TrialCheck]
    scores: list[int] | None
    """Points of both seats. None if the game was not played to its end."""
    place: int
    """Place of the bot. 0 if the game did not begin."""
    cap_ms: int = 0
    """Milliseconds that were allowed for one answer. 0 if the game did not begin."""
    processor_ms: int = round(1000 * TRIAL_PROCESSOR_S)
    """Milliseconds of processor time that were allowed."""
    lesson: ShownVerdict | None = None
    """Verdict of a lesson's check."""

    @property
    def step(self) -> TrialStep | None:
        """The step that the page shows."""
        return self.steps[self.number - 1] if self.steps else None


def shown_trial(trial: TrialValue, asked: str) -> ShownTrial | None:
    """Return what the page of a trial shows. `asked` is the number of a step, or empty. Return None before its end."""
    outcome = trial.outcome
    if outcome is None:
        return None
    outputs = list(outcome.outputs)
    first = outputs.pop(0) if outputs and outputs[0].index is None else None
    before = _step(0, 0, "", first) if first else None
    if not outcome.replay:
        checks = _examined(outcome) if trial.is_examination else _checks(outcome, [])
        return ShownTrial(outcome, before, [], 0, None, checks, None, 0)
    record = json.loads(outcome.replay)
    replay = FinishedReplay.of_record(record)
    verdict = Verdict.parse(record["verdict"])
    lesson = shown_verdict(trial.lesson, outcome.lesson) if outcome.lesson is not None else None
    steps = _steps(record, replay, outputs, {fault.index: fault for fault in outcome.faults}, lesson)
    number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 6 else 0
    if not 1 <= number <= len(steps):
        kinds = ([step.error for step in steps], [step.fault for step in steps], [step.lesson for step in steps])
        wrong = [number for kind in kinds for number, is_wrong in enumerate(kind, start=1) if is_wrong]
        number = wrong[0] if wrong else 1
    ply = steps[number - 1].ply
    position = replay.position(ply)
    lines = seat_lines(trial, record)
    table = ShownTable(
        position=position,
        parts=table_parts(replay, lines, ply),
        board=draw_board(position, [line.version.bot.name for line in lines], sowing=replay.sowing(ply)),
        seats=[(line, None) for line in lines],
        index=replay.index_of(ply),
        is_live=False,
        edition=edition(),
    )
    place = verdict.placements[SEAT - 1] if verdict.placements else 0
    scores = [score["total"] for score in record["result"]["scores"]] if record["result"] else None
    return ShownTrial(
        outcome=outcome,
        before=before,
        steps=steps,
        number=number,
        table=table,
        checks=_checks(outcome, steps),
        scores=scores,
        place=place,
        cap_ms=record["clock"]["cap_ms"],
        lesson=lesson,
    )


def _steps(
    record: dict[str, object],
    replay: FinishedReplay,
    outputs: list[TrialOutput],
    words: dict[int, TrialFault],
    lesson: ShownVerdict | None,
) -> list[TrialStep]:
    incidents = record.get("incidents", [])
    assert isinstance(incidents, list)
    own = [incident for incident in incidents if incident["seat"] == SEAT]
    faults = {incident["at"]: incident["reason"] for incident in own}
    forfeits = {incident["at"] for incident in own if incident["kind"] == "forfeit"}
    wrote = {output.index: output for output in outputs}
    steps: list[TrialStep] = []
    for ply, step in enumerate(replay.steps):
        # A batch of actions answers one request: what was written belongs to its first one.
        is_asked = step.index in wrote or step.index in faults
        if step.seat == SEAT or is_asked:
            made = _step(len(steps) + 1, ply, step.text, wrote.get(step.index))
            made = replace(made, lesson=lesson.of_index.get(step.index, "") if lesson else "")
            steps.append(_with_fault(made, step.index, faults, words, is_forfeit=step.index in forfeits))
    last_index = replay.steps[-1].index if replay.steps else -1
    last = [output for output in outputs if output.index is None]
    at_end = [output for output in outputs if output.index is not None and output.index > last_index]
    end = _step(len(steps) + 1, len(replay.steps), "", next(iter([*at_end, *last]), None))
    at = next((at for at in faults if at > last_index), None)
    steps.append(end if at is None else _with_fault(end, at, faults, words, is_forfeit=True))
    return steps


def _with_fault(
    step: TrialStep, index: int, faults: dict[int, str], words: dict[int, TrialFault], *, is_forfeit: bool
) -> TrialStep:
    fault = words.get(index) or TrialFault(index=index)
    return replace(step, fault=faults.get(index, ""), answer=fault.answer, message=fault.message, is_forfeit=is_forfeit)


def _step(number: int, ply: int, action: str, output: TrialOutput | None) -> TrialStep:
    text, error = "", ""
    if output is not None:
        text = "\n".join(part.rstrip("\n") for part in (output.note, output.stdout) if part)
        if (
            "Stopped here" in output.stderr
            or "Error" in output.stderr
            or "Exception" in output.stderr
            or "Traceback" in output.stderr
        ):
            error = output.stderr.rstrip("\n")
        elif output.stderr:
            text = f"{text}\n{output.stderr.rstrip()}".lstrip("\n")
    lines = LINE.findall(error)
    return TrialStep(number, ply, action, text, error, int(lines[-1][:6]) if lines else 0)


def _checks(outcome: TrialOutcome, steps: list[TrialStep]) -> list[TrialCheck]:
    """Return the short examination. Each later check needs those before it."""
    has_begun = bool(outcome.replay)
    checks = [TrialCheck(has_begun, _("It starts and says hello.") if has_begun else _("It does not start."))]
    if has_begun:
        illegal = sum(step.fault in ("ILLEGAL", "MALFORMED") for step in steps)
        late = sum(step.fault in ("LATE", "GONE") for step in steps)
        checks.append(
            TrialCheck(not illegal, _("All its actions are legal.") if not illegal else _("An answer is wrong."))
        )
        checks.append(TrialCheck(not late, _("It answers in time.") if not late else _("It answers too late.")))
    if outcome.fault:
        checks.append(TrialCheck(False, _("Its program ended.")))
    return checks


CHECKS: Final = {
    "dials-in": gettext_lazy("It starts and says hello."),
    "accepts-offer": gettext_lazy("It accepts the offer of a match in time."),
    "reveals-nonce": gettext_lazy("It reveals its share of the seed, as it promised it."),
    "answers": gettext_lazy("It answers a request with a legal action."),
}
"""Sentences on the essential checks of the doctor, by their names."""


def _examined(outcome: TrialOutcome) -> list[TrialCheck]:
    """Return the examination of a submission."""
    checks = [
        TrialCheck(check.outcome == "passed", str(CHECKS.get(check.name, check.name)), check.outcome == "skipped")
        for check in outcome.checks
    ]
    if outcome.announced is not None:
        counts = ", ".join(map(str, outcome.announced.player_counts))
        checks.append(TrialCheck(True, _("It plays with these numbers of players: %(counts)s.") % {"counts": counts}))
    return checks


def seat_lines(trial: TrialValue, record: dict[str, object]) -> tuple[SeatLine, ...]:
    """Return both seats of a trial, for its table."""
    verdict = Verdict.parse(record["verdict"])  # type: ignore[arg-type]
    result = record["result"]
    lines = []
    for seat, name in ((1, _("Your bot")), (2, trial.opponent)):
        version = VersionRef(0, "", BotRef(0, name, "", 0, "", is_house=seat != SEAT))
        place = verdict.placements[seat - 1] if verdict.placements else None
        score = result["scores"][seat - 1]["total"] if isinstance(result, dict) else None
        lines.append(SeatLine(seat, version, place, place, score, forfeited_at=None, forfeit_reason=""))
    return tuple(lines)


def trial_frames(trial: TrialValue, encoding: str) -> bytes:
    """Return the frames of a game as compressed JSON (`encoding`: `zstd` or `gzip`) in the visitor's language."""
    assert trial.outcome is not None
    store, key = caches["frames"], f"trial/{trial.key}/{encoding}/{get_language()}/{edition()}"
    frames: bytes | None = store.get(key)
    if frames is None:
        record = json.loads(trial.outcome.replay)
        document = frames_document(FinishedReplay.of_record(record), seat_lines(trial, record))
        text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
        frames = pack(text, encoding, LEVELS[encoding])
        store.set(key, frames)
    return frames
