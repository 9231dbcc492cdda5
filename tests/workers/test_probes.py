"""Time is up only if the paths to the seats concerned are known to be sound."""

from __future__ import annotations

from itertools import count

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from arena.bus import NO_ASK, PROBE, FromBot, Presence, WireKind, probed_session
from arena.referee import SECOND
from workers.paths import RECOVERY, STALE_AFTER, PresenceSnapshot, SeatPath, SeatPaths
from workers.probes import PROBE_TIMEOUT, DeadlineCheck, NotYet, PathsBroken, Probe, Reading, SendProbes, TimeUp

DEADLINE = 100 * SECOND
SEEN = PresenceSnapshot(read_at=DEADLINE)


def named() -> DeadlineCheck:
    """Return a check whose probes are `probe:0:…`, `probe:1:…` …"""
    numbers = count()
    return DeadlineCheck(lambda: str(next(numbers)))


def about(session: str, index: int = 0, open_ns: int = -1) -> FromBot:
    """Return a gateway's message about this session."""
    return FromBot("m", 1, session, WireKind.UNDELIVERABLE, index=index, open_ns=open_ns)


def paths(**gateways: str) -> SeatPaths:
    """Return paths to the seats (`s1`, `s2`) through gateways; none where the gateway is empty."""
    made = {}
    for name, gateway in gateways.items():
        seat = int(name[1:])
        made[seat] = SeatPath(seat)
        if gateway:
            made[seat].set_route(Presence(name, gateway, bot=1, bot_version=seat, owner=1, process="p"))
    return SeatPaths(made)


def test_before_the_deadline_there_is_nothing_to_do() -> None:
    check = named()
    assert check.check(None, DEADLINE, {1}, paths(s1="g"), SEEN) == NotYet()
    assert check.check(DEADLINE, DEADLINE - 1, {1}, paths(s1="g"), SEEN) == NotYet()
    assert (check.wake_at(DEADLINE), check.wake_at(None)) == (DEADLINE, None)


def test_time_is_up_when_every_probe_is_back() -> None:
    check, to = named(), paths(s1="g1", s2="g2", s3="g3")
    probes = (Probe("probe:0:s1", "g1", 1), Probe("probe:1:s2", "g2", 2))
    assert check.check(DEADLINE, DEADLINE, [1, 2], to, SEEN) == SendProbes(probes)
    assert check.wake_at(DEADLINE) == DEADLINE + PROBE_TIMEOUT
    assert check.check(DEADLINE, DEADLINE + 1, [1, 2], to, SEEN) == NotYet()
    assert check.answer(about("probe:1:s2", 7, 5)) and check.answer(about("probe:0:s1", NO_ASK, 0))
    readings = (Reading(2, 7, 5), Reading(1, NO_ASK, 0))
    assert check.check(DEADLINE, DEADLINE + 2, [1, 2], to, SEEN) == TimeUp(readings)
    assert check.wake_at(DEADLINE) == DEADLINE


def test_a_probe_that_does_not_come_back_means_that_its_way_is_broken() -> None:
    check, to = named(), paths(s1="g1", s2="g2")
    check.check(DEADLINE, DEADLINE, [1, 2], to, SEEN)
    check.answer(about("probe:0:s1"))
    late = DEADLINE + PROBE_TIMEOUT
    assert check.check(DEADLINE, late - 1, [1, 2], to, SEEN) == NotYet()
    assert check.check(DEADLINE, late, [1, 2], to, SEEN) == PathsBroken((2,), is_silence=True)
    assert check.answer(about("probe:1:s2")), "an answer that comes too late is no message about a bot either"


def test_an_answer_in_the_meantime_calls_the_probes_off() -> None:
    check, to = named(), paths(s1="g")
    check.check(DEADLINE, DEADLINE, {1}, to, SEEN)
    assert check.check(DEADLINE + SECOND, DEADLINE + 1, {1}, to, SEEN) == NotYet()
    again = check.check(DEADLINE + SECOND, DEADLINE + SECOND, {1}, to, SEEN)
    assert again == SendProbes((Probe("probe:1:s1", "g", 1),))


def test_where_there_is_no_way_nothing_can_be_on_it() -> None:
    assert named().check(DEADLINE, DEADLINE, {1}, paths(s1=""), SEEN) == TimeUp()


def test_while_the_bus_is_unavailable_no_time_is_up() -> None:
    now = DEADLINE + STALE_AFTER
    assert named().check(DEADLINE, now, {1}, paths(s1="g"), SEEN) == SendProbes((Probe("probe:0:s1", "g", 1),))
    assert named().check(DEADLINE, now + 1, {1}, paths(s1="g"), SEEN) == PathsBroken((1,))


def test_after_an_outage_a_bot_that_is_not_seen_is_waited_for() -> None:
    to = paths(s1="", s2="g")
    regained = PresenceSnapshot(read_at=DEADLINE, regained_at=DEADLINE)
    assert named().check(DEADLINE, DEADLINE + 1, {1, 2}, to, regained) == PathsBroken((1,))
    assert named().check(DEADLINE, DEADLINE + 1, {2}, to, regained) == SendProbes((Probe("probe:0:s2", "g", 2),))
    later = PresenceSnapshot(read_at=DEADLINE + RECOVERY, regained_at=DEADLINE)
    assert named().check(DEADLINE, DEADLINE + RECOVERY, {1}, to, later) == TimeUp()


def test_what_is_no_answer_to_a_probe_is_told_apart() -> None:
    assert not named().answer(about("0123abcd"))


def test_a_gateway_of_an_earlier_version_says_nothing_about_time() -> None:
    check, to = named(), paths(s1="g1")
    check.check(DEADLINE, DEADLINE, [1], to, SEEN)
    assert check.answer(about("probe:0:s1"))
    assert check.check(DEADLINE, DEADLINE, [1], to, SEEN) == TimeUp(())


def test_a_probe_names_the_session_that_it_asks_about() -> None:
    finding = DeadlineCheck().check(DEADLINE, DEADLINE, [1], paths(s1="g1"), SEEN)
    assert isinstance(finding, SendProbes)
    (probe,) = finding.probes
    assert probe.session.startswith(PROBE) and probed_session(probe.session) == "s1"


seats = st.sampled_from([1, 2, 3])


class Deadlines(RuleBasedStateMachine):
    """Gateways that deliver in order, or die; and one deadline after another.

    When time is up, no answer that was in transit when the probes were sent is still in transit.
    """

    def __init__(self) -> None:
        super().__init__()
        self.now = DEADLINE
        self.deadline: int | None = DEADLINE
        self.concerned = {1, 2, 3}
        self.check = DeadlineCheck()
        self.paths = paths(s1="g1", s2="g2", s3="g2")
        self.on_its_way: dict[str, list[str]] = {"g1": [], "g2": []}
        """Unread messages of each gateway: answers, and sessions of probes."""
        self.before: dict[str, list[str]] = {}
        """The same when the last probes were sent, for the gateways that were probed."""
        self.dead: set[str] = set()
        self.numbers = count()

    @rule(seat=seats)
    def answer(self, seat: int) -> None:
        route = self.paths.route(seat)
        if route is not None and route.gateway not in self.dead:
            self.on_its_way[route.gateway].append(f"answer {next(self.numbers)}")

    @rule(gateway=st.sampled_from(["g1", "g2"]), many=st.integers(1, 4))
    def read(self, gateway: str, many: int) -> None:
        for _ in range(min(many, len(self.on_its_way[gateway]))):
            self.check.answer(about(self.on_its_way[gateway].pop(0)))

    @rule(gateway=st.sampled_from(["g1", "g2"]))
    def die(self, gateway: str) -> None:
        self.dead.add(gateway)
        self.on_its_way[gateway].clear()

    @rule(seat=seats)
    def come_back(self, seat: int) -> None:
        gateway = f"g{next(self.numbers) + 3}"
        self.on_its_way[gateway] = []
        self.paths[seat].set_route(Presence(f"s{seat}", gateway, bot=1, bot_version=seat, owner=1, process="p"))

    @rule(after=st.sampled_from([0, 1, SECOND // 2, SECOND]))
    def time(self, after: int) -> None:
        self.now += after

    @rule(later=st.sampled_from([None, 0, SECOND]), concerned=st.sets(seats, min_size=1))
    def next_deadline(self, later: int | None, concerned: set[int]) -> None:
        """Let the referee wait for something else: the loop checks once in between."""
        self.check.check(None, self.now, set(), self.paths, SEEN)
        self.before = {}
        self.deadline, self.concerned = None if later is None else self.now + later, concerned

    @rule()
    def look(self) -> None:
        presence = PresenceSnapshot(read_at=self.now)
        match self.check.check(self.deadline, self.now, self.concerned, self.paths, presence):
            case SendProbes(probes):
                assert {probe.seat for probe in probes} == self.concerned - self.paths.without_route(self.concerned)
                self.before = {probe.gateway: list(self.on_its_way[probe.gateway]) for probe in probes}
                for probe in probes:
                    if probe.gateway not in self.dead:
                        self.on_its_way[probe.gateway].append(probe.session)
            case PathsBroken(broken):
                assert set(broken) <= self.concerned
                for seat in broken:
                    self.paths.drop(seat)
                self.before, self.deadline = {}, None
            case TimeUp():
                assert self.deadline is not None and self.now >= self.deadline
                for gateway, before in self.before.items():
                    assert not set(before) & set(self.on_its_way[gateway])
                self.before, self.deadline = {}, None

    @invariant()
    def it_is_checked_again_in_time(self) -> None:
        wake_at = self.check.wake_at(self.deadline)
        if self.deadline is not None:
            assert wake_at is not None and wake_at <= max(self.deadline, self.now) + PROBE_TIMEOUT


Deadlines.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
TestDeadlines = Deadlines.TestCase
