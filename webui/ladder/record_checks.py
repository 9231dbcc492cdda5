"""Whether the stored record of a match is right: by its log, its seed, the rules, its signature, and in the tables."""

import zlib
from collections.abc import Iterator

from arena.host.signing import SignatureError
from arena.referee import first_bids
from webui.ladder.models import Match, MatchSecret, Participant
from webui.ladder.record_store import packed_of
from webui.ladder.records import check_record, ended_log, unpack_record
from webui.ladder.signing import check_record_signature
from webui.ladder.values import RecordRefused

UNREADABLE = (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError)
"""What reading the bytes of a record, or its document, may raise if it is none; or if there is none at all."""


def record_findings(match: Match) -> Iterator[str]:
    """What is wrong with it. The record follows from log, seed and rules, and the result in the tables from the
    record. The match must have been played by the rules of this process."""
    try:
        document = unpack_record(packed_of(match.record))
        log = [entry.entry for entry in ended_log(match.id, document)]
        if len(log) != match.length:
            yield f"its length is {match.length} and its log has {len(log)} entries"
        check_record(match, match.secret, log, document)
        check_record_signature(document)
    except (MatchSecret.DoesNotExist, RecordRefused, SignatureError) as error:
        yield str(error)
        return
    except UNREADABLE as error:
        yield f"its record cannot be read: {error!r}"
        return
    result, verdict = document.get("result"), document["verdict"]
    if match.verdict != verdict:
        yield "its verdict is not that of its record"
    for row in Participant.objects.filter(match=match):
        expected = (
            verdict["placements"][row.seat - 1] if verdict["placements"] else None,
            result["ranks"][row.seat - 1] if result else None,
            result["scores"][row.seat - 1]["total"] if result else None,
        )
        if (row.placement, row.rank, row.score) != expected:
            yield f"the result of seat {row.seat} is not that of its record"
        if row.first_bid is not None and row.first_bid != first_bids(document["setup"]["bid_order"])[row.seat - 1]:
            yield f"the place of seat {row.seat} in the first bidding is not that of its record"
