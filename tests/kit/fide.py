"""The FIDE Dutch system by py4swiss, for a history of tables of two."""

from __future__ import annotations

from py4swiss.engines import DutchEngine
from py4swiss.engines.common import PairingError
from py4swiss.trf import ParsedTrf
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, XSection

from arena.events.tiebreaks import scores
from arena.events.values import Draw, EventTable, History, Round

RESULTS = {(1, 2): ResultToken.WIN, (2, 1): ResultToken.LOSS, (1, 1): ResultToken.DRAW}


def fide_draw(history: History, rounds: int) -> Draw | None:
    """Return the next of `rounds` rounds; `None` where FIDE's absolute criteria allow none. Entrant 1 is the
    strongest."""
    points = scores(history)
    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=entrant.number,
            points_times_ten=points[entrant.number].halves * 5,
            rank=entrant.number,
            results=[_result(round, entrant.number) for round in history.rounds],
        )
        for entrant in history.entrants
    ]
    trf = ParsedTrf(player_sections=sections, x_section=XSection(number_of_rounds=rounds))
    trf.validate_contents()
    try:
        pairings = DutchEngine.generate_pairings(trf)
    except PairingError:
        return None
    pairs = [(pairing.white, pairing.black) for pairing in pairings]
    tables = [EventTable(number, pair) for number, pair in enumerate((pair for pair in pairs if pair[1]), start=1)]
    return Draw(tuple(tables), tuple(white for white, black in pairs if not black))


def _result(round: Round, number: int) -> RoundResult:
    for table in round.tables:
        if number in table.seats:
            seat = table.seats.index(number)
            (game,) = table.games
            places = (game.placements[seat], game.placements[1 - seat])
            color = (ColorToken.WHITE, ColorToken.BLACK)[seat]
            return RoundResult(id=table.seats[1 - seat], color=color, result=RESULTS[places])
    return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=ResultToken.PAIRING_ALLOCATED_BYE)
