"""Offers of an event's games that bots declined or did not answer."""

from collections import Counter

from arena.events import Event, GameKey
from webui.events.facts import find_event, fold_event
from webui.events.models import EventMatch, EventRow
from webui.matches.models import MatchState, Participant


def declined_offers(slug: str) -> Counter[tuple[GameKey, int]]:
    """Return the number of declined or unanswered offers, by pending game and entrant."""
    row = find_event(slug)
    return declines(row, fold_event(row))


def declines(row: EventRow, event: Event) -> Counter[tuple[GameKey, int]]:
    """Do the same as `declined_offers` for an event that has been read already."""
    aborted = EventMatch.objects.filter(event=row, is_counted=False, match__state=MatchState.ABORTED)
    lines = {line.match_id: line for line in aborted}
    keys = {(*pairing.key, pairing.attempt): pairing for pairing in event.pairings()}
    declined: Counter[tuple[GameKey, int]] = Counter()
    seats = Participant.objects.filter(match_id__in=lines, has_declined=True).values_list("match_id", "seat")
    for match, seat in seats:
        line = lines[match]
        pairing = keys.get((line.round, line.table, line.game, line.attempt))
        if pairing is not None and pairing.seats[seat - 1] not in line.absent:
            declined[pairing.key, pairing.seats[seat - 1]] += 1
    return declined
