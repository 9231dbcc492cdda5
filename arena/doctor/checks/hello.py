"""The facts that a bot announces about itself."""

from __future__ import annotations

from typing import Final

from arena.doctor.check import Checks
from arena.doctor.errors import Failed
from arena.doctor.session import Session
from arena.rules.components import CAMELS, EXPANSIONS
from arena.wire.service import PROTOCOL
from arena.wire.versions import MAX_VERSION, is_commit

HELLO: Final = Checks()
MAX_PROCESS: Final = 64
PLAYER_COUNTS: Final = tuple(CAMELS)


@HELLO.register(
    "dials-in",
    "Connect to the address in ARENA_SERVER (host:port, without TLS here), open BotService.Play and send Hello.",
    is_essential=True,
)
async def dials_in(session: Session) -> None:
    """The bot connects after its start and says hello in its first message."""
    await session.connected()


@HELLO.register("hello-token", "Set Hello.token to the value of ARENA_TOKEN, without quotes, spaces or a line end.")
async def says_token(session: Session) -> None:
    """Hello has the token that the bot was given."""
    if session.hello.token != session.server.token:
        raise Failed("Hello.token is not the token in ARENA_TOKEN")


@HELLO.register(
    "hello-protocol",
    f"Set Hello.protocol to {PROTOCOL!r}. If you use the Python library, upgrade naqala-arena.",
)
async def speaks_protocol(session: Session) -> None:
    """Hello names the protocol of the arena."""
    if session.hello.protocol != PROTOCOL:
        raise Failed(f"Hello.protocol is {session.hello.protocol[:40]!r}, not {PROTOCOL!r}")


@HELLO.register(
    "hello-version",
    "Set Hello.version to the name of a release ('1.4') of 1 to 40 characters, and keep it until the bot plays"
    " differently.",
)
async def names_version(session: Session) -> None:
    """Hello has a version of 1 to 40 characters, which is not the hash of a commit."""
    if not 1 <= len(session.hello.version) <= MAX_VERSION:
        raise Failed(f"Hello.version has {len(session.hello.version)} characters, not 1 to {MAX_VERSION}")
    if is_commit(session.hello.version):
        raise Failed(f"Hello.version is {session.hello.version!r}, the hash of a commit, which an arena refuses")


@HELLO.register(
    "hello-process",
    "Name the process in Hello.process with 1 to 64 characters, for example after the machine and the program.",
)
async def names_process(session: Session) -> None:
    """Hello names the process with 1 to 64 characters."""
    if not 1 <= len(session.hello.process) <= MAX_PROCESS:
        raise Failed(f"Hello.process has {len(session.hello.process)} characters, not 1 to {MAX_PROCESS}")


@HELLO.register(
    "hello-max-matches", "Set Hello.max_matches to the number of matches that you play at once; 1 is enough."
)
async def takes_matches(session: Session) -> None:
    """Hello has at least one place for a match."""
    if session.hello.max_matches < 1:
        raise Failed("Hello.max_matches is 0: the bot would never be offered a match")


@HELLO.register(
    "hello-player-counts", "List some of 2, 3, 4 and 5 in Hello.player_counts, or leave it empty for all of them."
)
async def names_player_counts(session: Session) -> None:
    """Hello names valid numbers of players, and an expansion if it names only five."""
    counts = set(session.hello.player_counts)
    if unknown := counts - set(PLAYER_COUNTS):
        raise Failed(f"Hello.player_counts has {min(unknown)}; a game has 2 to 5 players")
    if counts == {5} and not session.hello.expansions:
        raise Failed("Hello.player_counts is only 5, but five players need an expansion and Hello.expansions is empty")


@HELLO.register("hello-expansions", f"List some of {', '.join(EXPANSIONS)} in Hello.expansions, or none.")
async def names_expansions(session: Session) -> None:
    """Hello names only existing expansions."""
    if unknown := set(session.hello.expansions) - set(EXPANSIONS):
        raise Failed(f"Hello.expansions has {min(unknown)[:40]!r}, which is not one of {', '.join(EXPANSIONS)}")


@HELLO.register("hello-running", "Leave Hello.running empty until the bot is in a match.")
async def claims_nothing(session: Session) -> None:
    """The first hello of a new process names no running match."""
    if running := session.first_hellos[-1].running:
        raise Failed(f"Hello.running named {len(running)} matches, though the process was just started")
