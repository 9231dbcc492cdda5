"""Bots, matches and played games in the database, for tests of the ladder."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any

from django.db.models.functions import Now

from arena.referee import Clock, Entry, Kind, Policy, Record, Terms
from arena.rules import Ruleset
from tests.kit.records import refereed
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.hosting.models import Blob, HostedVersion, Submission
from webui.matches import ending, ownership
from webui.matches import values as match_values
from webui.matches.models import Match, MatchState, SpectatorRow
from webui.matches.values import MatchClaim
from webui.pairing.models import Exclusion
from workers.publishing import Position, Publisher

CLOCK = Clock()
POLICY = Policy()
LEASE = 60.0


@dataclass(frozen=True)
class Played:
    """A game that was played to its end, as a worker would submit it."""

    entries: list[Entry]
    verdict: dict[str, Any]
    document: dict[str, Any]


def play_out(claim: MatchClaim, seed: int = 0) -> Played:
    """Play a match without a log to its end, with random legal actions for all seats."""
    played = _play_out(replace(terms_of(claim), match=""), seed)
    document = copy.deepcopy(played.document) | {
        "match": claim.match_id,
        "seats": [
            {**seat, "name": one.bot, "version": one.version}
            for seat, one in zip(played.document["seats"], claim.seats, strict=True)
        ],
    }
    return Played(played.entries, document["verdict"], document)


@cache  # the same games are played in many tests
def _play_out(terms: Terms, seed: int) -> Played:
    """Return the game of a match with these terms, played by nobody."""
    choice = random.Random(seed)
    nonces = [bytes([seat]) * 16 for seat in terms.seats]
    match = refereed(terms, nonces, lambda ask: choice.choice([action.text for action in ask.legal]))
    document = match.document([("", "")] * len(nonces))
    return Played(match.log, document["verdict"], document)


def terms_of(claim: MatchClaim) -> Terms:
    """Return the terms that a worker makes of a claim."""
    return Terms(
        match=claim.match_id,
        ruleset=claim.ruleset,
        server_seed=claim.server_seed,
        clock=claim.clock,
        policy=claim.policy,
        deal=claim.deal,
    )


def apply_all(record: Record, entries: Iterable[Entry]) -> list[Position]:
    """Apply entries of a log to a record. Return the position after each decision among them."""
    positions = []
    for entry in entries:
        index = record.index
        record.apply(entry)
        if entry.kind == Kind.DECISION:
            positions.append((index, record.state))
    return positions


class Writer:
    """Writes the log of a match, as a worker does after claiming it."""

    def __init__(self, claim: MatchClaim) -> None:
        self._claim = claim
        self._record = Record(terms_of(claim))
        self._publisher = Publisher(people=[seat.seat for seat in claim.seats if seat.is_person])

    def append(self, entries: Sequence[Entry], lease_s: float = LEASE) -> None:
        """Write the next entries, with the spectators' view of them."""
        number = self._record.length
        positions = apply_all(self._record, entries)
        seen = self._publisher.steps(self._record.game, positions)
        ownership.append(self._claim.match_id, self._claim.epoch, number, entries, lease_s, seen)


class Kit:
    """Builders that use only the actions. The matches of a test have the same seeds in every run."""

    def __init__(self) -> None:
        self.bots = 0
        self.matches = 0

    def version(self, *, owner: int | None = None, is_house: bool = False) -> int:
        """Return a new bot with one version, which needs no examination. It has its own owner unless one is given."""
        self.bots += 1
        owner = account_actions.create_user(f"owner{self.bots}", None) if owner is None else owner
        bot = bot_actions.register_bot(owner, f"Bot {self.bots}", is_house=is_house)
        version = bot_actions.register_version(bot, "1")
        Exclusion.objects.filter(version=version).delete()
        return version

    def versions(self, count: int) -> list[int]:
        return [self.version() for _ in range(count)]

    def hosted_version(self, *, owner: int | None = None, is_house: bool = False) -> int:
        """Return a new bot with one version, which runners play. Its files are missing."""
        version = self.version(owner=owner, is_house=is_house)
        self.host(version)
        return version

    def host(self, version: int) -> None:
        """Make a version the current hosted one of its bot. Its files are missing."""
        bot = BotVersion.objects.get(pk=version).bot_id
        submission = Submission.objects.create(
            bot_id=bot, version="1", files=1, unpacked_bytes=1, manifest="{}", state="READY", ended_at=Now()
        )
        image, _ = Blob.objects.get_or_create(sha256="0" * 64, size=1, tar_bytes=1)
        HostedVersion.objects.create(
            version_id=version, bot_id=bot, submission=submission, image=image, command=["./bot"], memory_bytes=1,
            player_counts=[2, 3, 4], expansions=[], wants_legal=False, is_current=True,
        )  # fmt: skip
        BotVersion.objects.filter(pk=version).update(is_hosted=True)
        Bot.objects.filter(pk=bot).update(is_hosted=True)

    def match(self, versions: list[int] | None = None, *, rated: bool = True, **more: Any) -> str:
        versions = self.versions(2) if versions is None else versions
        self.matches += 1
        seed = sha256(f"match {self.matches}".encode()).digest()
        return ownership.schedule_match(
            Ruleset(len(versions)), versions, CLOCK, POLICY, rated, **{"server_seed": seed, **more}
        )

    def begin_all(self) -> None:
        """Show spectators the set-up of every match in flight, as when all its bots have accepted."""
        for match in Match.objects.filter(state__in=[MatchState.SCHEDULED, MatchState.RUNNING], spectator_rows=None):
            SpectatorRow.objects.create(match=match, ply=0, index=0, seat=0, text="", chance=[], view=b"")

    def claim(self, match_id: str, owner: str = "worker", lease_s: float = LEASE) -> MatchClaim:
        claim = ownership.claim_match(match_id, owner, lease_s)
        assert claim is not None
        return claim

    def ready_to_finish(self, versions: list[int] | None = None, **more: Any) -> tuple[MatchClaim, Played]:
        """Return a match whose log is complete, and whose record is about to be submitted."""
        claim = self.claim(self.match(versions, **more))
        played = play_out(claim, self.bots)
        Writer(claim).append(played.entries)
        return claim, played

    def finish(self, versions: list[int] | None = None, **more: Any) -> match_values.MatchEnding:
        claim = self.claim(self.match(versions, **more))
        played = play_out(claim, self.bots)
        # Leave out the spectators' view, which would not stay.
        ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
        return ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
