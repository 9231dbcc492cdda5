# mypy: ignore-errors
# ruff: noqa
from arena.wire.v1 import game_pb2 as _game_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class VerdictKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_KIND_UNSPECIFIED: _ClassVar[VerdictKind]
    VERDICT_KIND_COMPLETED: _ClassVar[VerdictKind]
    VERDICT_KIND_FORFEIT: _ClassVar[VerdictKind]
    VERDICT_KIND_VOID: _ClassVar[VerdictKind]
VERDICT_KIND_UNSPECIFIED: VerdictKind
VERDICT_KIND_COMPLETED: VerdictKind
VERDICT_KIND_FORFEIT: VerdictKind
VERDICT_KIND_VOID: VerdictKind

class BotMessage(_message.Message):
    __slots__ = ("hello", "accept", "decline", "answer", "ping", "pong", "leave", "reveal")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    DECLINE_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    accept: Accept
    decline: Decline
    answer: Answer
    ping: Ping
    pong: Pong
    leave: Leave
    reveal: Reveal
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., accept: _Optional[_Union[Accept, _Mapping]] = ..., decline: _Optional[_Union[Decline, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ..., reveal: _Optional[_Union[Reveal, _Mapping]] = ...) -> None: ...

class ServerMessage(_message.Message):
    __slots__ = ("welcome", "resumed", "offer", "request", "fault", "match_end", "match_aborted", "ping", "pong", "error", "reveal_request")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    OFFER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    FAULT_FIELD_NUMBER: _ClassVar[int]
    MATCH_END_FIELD_NUMBER: _ClassVar[int]
    MATCH_ABORTED_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    REVEAL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    resumed: Resumed
    offer: Offer
    request: DecisionRequest
    fault: Fault
    match_end: MatchEnd
    match_aborted: MatchAborted
    ping: Ping
    pong: Pong
    error: Error
    reveal_request: RevealRequest
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., resumed: _Optional[_Union[Resumed, _Mapping]] = ..., offer: _Optional[_Union[Offer, _Mapping]] = ..., request: _Optional[_Union[DecisionRequest, _Mapping]] = ..., fault: _Optional[_Union[Fault, _Mapping]] = ..., match_end: _Optional[_Union[MatchEnd, _Mapping]] = ..., match_aborted: _Optional[_Union[MatchAborted, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ..., error: _Optional[_Union[Error, _Mapping]] = ..., reveal_request: _Optional[_Union[RevealRequest, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("token", "bot", "version", "process", "sdk", "max_matches", "player_counts", "expansions", "wants_legal", "protocol", "running")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    SDK_FIELD_NUMBER: _ClassVar[int]
    MAX_MATCHES_FIELD_NUMBER: _ClassVar[int]
    PLAYER_COUNTS_FIELD_NUMBER: _ClassVar[int]
    EXPANSIONS_FIELD_NUMBER: _ClassVar[int]
    WANTS_LEGAL_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    token: str
    bot: str
    version: str
    process: str
    sdk: str
    max_matches: int
    player_counts: _containers.RepeatedScalarFieldContainer[int]
    expansions: _containers.RepeatedScalarFieldContainer[str]
    wants_legal: bool
    protocol: str
    running: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, token: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[str] = ..., process: _Optional[str] = ..., sdk: _Optional[str] = ..., max_matches: _Optional[int] = ..., player_counts: _Optional[_Iterable[int]] = ..., expansions: _Optional[_Iterable[str]] = ..., wants_legal: _Optional[bool] = ..., protocol: _Optional[str] = ..., running: _Optional[_Iterable[str]] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("bot", "protocol", "rules", "server", "session", "limits", "running", "over")
    BOT_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    protocol: str
    rules: str
    server: str
    session: str
    limits: Limits
    running: _containers.RepeatedScalarFieldContainer[str]
    over: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bot: _Optional[str] = ..., protocol: _Optional[str] = ..., rules: _Optional[str] = ..., server: _Optional[str] = ..., session: _Optional[str] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., running: _Optional[_Iterable[str]] = ..., over: _Optional[_Iterable[str]] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_matches", "max_message_bytes", "max_actions", "max_note_bytes", "max_messages_per_second", "ping_interval_ms")
    MAX_MATCHES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    MAX_NOTE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGES_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    PING_INTERVAL_MS_FIELD_NUMBER: _ClassVar[int]
    max_matches: int
    max_message_bytes: int
    max_actions: int
    max_note_bytes: int
    max_messages_per_second: int
    ping_interval_ms: int
    def __init__(self, max_matches: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., max_actions: _Optional[int] = ..., max_note_bytes: _Optional[int] = ..., max_messages_per_second: _Optional[int] = ..., ping_interval_ms: _Optional[int] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Clock(_message.Message):
    __slots__ = ("bank_ms", "increment_ms", "cap_ms")
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    CAP_MS_FIELD_NUMBER: _ClassVar[int]
    bank_ms: int
    increment_ms: int
    cap_ms: int
    def __init__(self, bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., cap_ms: _Optional[int] = ...) -> None: ...

class Policy(_message.Message):
    __slots__ = ("strikes", "grace_ms", "house")
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    HOUSE_FIELD_NUMBER: _ClassVar[int]
    strikes: int
    grace_ms: int
    house: str
    def __init__(self, strikes: _Optional[int] = ..., grace_ms: _Optional[int] = ..., house: _Optional[str] = ...) -> None: ...

class Participant(_message.Message):
    __slots__ = ("bot", "version", "owner")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    owner: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., owner: _Optional[str] = ...) -> None: ...

class MatchTerms(_message.Message):
    __slots__ = ("ruleset", "seat", "participants", "clock", "policy", "commitment", "rated")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    CLOCK_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    RATED_FIELD_NUMBER: _ClassVar[int]
    ruleset: _game_pb2.Ruleset
    seat: int
    participants: _containers.RepeatedCompositeFieldContainer[Participant]
    clock: Clock
    policy: Policy
    commitment: bytes
    rated: bool
    def __init__(self, ruleset: _Optional[_Union[_game_pb2.Ruleset, _Mapping]] = ..., seat: _Optional[int] = ..., participants: _Optional[_Iterable[_Union[Participant, _Mapping]]] = ..., clock: _Optional[_Union[Clock, _Mapping]] = ..., policy: _Optional[_Union[Policy, _Mapping]] = ..., commitment: _Optional[bytes] = ..., rated: _Optional[bool] = ...) -> None: ...

class Offer(_message.Message):
    __slots__ = ("match_id", "terms", "answer_within_ms")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    ANSWER_WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    terms: MatchTerms
    answer_within_ms: int
    def __init__(self, match_id: _Optional[str] = ..., terms: _Optional[_Union[MatchTerms, _Mapping]] = ..., answer_within_ms: _Optional[int] = ...) -> None: ...

class SignedOffer(_message.Message):
    __slots__ = ("document", "key", "signature")
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    document: bytes
    key: str
    signature: bytes
    def __init__(self, document: _Optional[bytes] = ..., key: _Optional[str] = ..., signature: _Optional[bytes] = ...) -> None: ...

class Accept(_message.Message):
    __slots__ = ("match_id", "nonce_hash")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    NONCE_HASH_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    nonce_hash: bytes
    def __init__(self, match_id: _Optional[str] = ..., nonce_hash: _Optional[bytes] = ...) -> None: ...

class RevealRequest(_message.Message):
    __slots__ = ("match_id", "nonce_hashes", "answer_within_ms", "participants", "signed")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    NONCE_HASHES_FIELD_NUMBER: _ClassVar[int]
    ANSWER_WITHIN_MS_FIELD_NUMBER: _ClassVar[int]
    PARTICIPANTS_FIELD_NUMBER: _ClassVar[int]
    SIGNED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    nonce_hashes: _containers.RepeatedScalarFieldContainer[bytes]
    answer_within_ms: int
    participants: _containers.RepeatedCompositeFieldContainer[Participant]
    signed: SignedOffer
    def __init__(self, match_id: _Optional[str] = ..., nonce_hashes: _Optional[_Iterable[bytes]] = ..., answer_within_ms: _Optional[int] = ..., participants: _Optional[_Iterable[_Union[Participant, _Mapping]]] = ..., signed: _Optional[_Union[SignedOffer, _Mapping]] = ...) -> None: ...

class Reveal(_message.Message):
    __slots__ = ("match_id", "nonce")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    nonce: bytes
    def __init__(self, match_id: _Optional[str] = ..., nonce: _Optional[bytes] = ...) -> None: ...

class Decline(_message.Message):
    __slots__ = ("match_id", "reason")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    reason: str
    def __init__(self, match_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RoundTrip(_message.Message):
    __slots__ = ("network_us", "queue_us", "thinking_us")
    NETWORK_US_FIELD_NUMBER: _ClassVar[int]
    QUEUE_US_FIELD_NUMBER: _ClassVar[int]
    THINKING_US_FIELD_NUMBER: _ClassVar[int]
    network_us: int
    queue_us: int
    thinking_us: int
    def __init__(self, network_us: _Optional[int] = ..., queue_us: _Optional[int] = ..., thinking_us: _Optional[int] = ...) -> None: ...

class DecisionRequest(_message.Message):
    __slots__ = ("match_id", "index", "seat", "phase", "view", "events", "legal", "bank_ms", "increment_ms", "cap_ms", "last_round_trip", "grace_ms")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_MS_FIELD_NUMBER: _ClassVar[int]
    CAP_MS_FIELD_NUMBER: _ClassVar[int]
    LAST_ROUND_TRIP_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    index: int
    seat: int
    phase: _game_pb2.Phase
    view: _game_pb2.GameView
    events: _containers.RepeatedCompositeFieldContainer[_game_pb2.Event]
    legal: _containers.RepeatedScalarFieldContainer[str]
    bank_ms: int
    increment_ms: int
    cap_ms: int
    last_round_trip: RoundTrip
    grace_ms: int
    def __init__(self, match_id: _Optional[str] = ..., index: _Optional[int] = ..., seat: _Optional[int] = ..., phase: _Optional[_Union[_game_pb2.Phase, str]] = ..., view: _Optional[_Union[_game_pb2.GameView, _Mapping]] = ..., events: _Optional[_Iterable[_Union[_game_pb2.Event, _Mapping]]] = ..., legal: _Optional[_Iterable[str]] = ..., bank_ms: _Optional[int] = ..., increment_ms: _Optional[int] = ..., cap_ms: _Optional[int] = ..., last_round_trip: _Optional[_Union[RoundTrip, _Mapping]] = ..., grace_ms: _Optional[int] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("match_id", "index", "actions", "note")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    index: int
    actions: _containers.RepeatedScalarFieldContainer[str]
    note: str
    def __init__(self, match_id: _Optional[str] = ..., index: _Optional[int] = ..., actions: _Optional[_Iterable[str]] = ..., note: _Optional[str] = ...) -> None: ...

class Fault(_message.Message):
    __slots__ = ("match_id", "index", "reason", "rule", "message", "strikes", "played", "forfeited")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    STRIKES_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    index: int
    reason: str
    rule: str
    message: str
    strikes: int
    played: str
    forfeited: bool
    def __init__(self, match_id: _Optional[str] = ..., index: _Optional[int] = ..., reason: _Optional[str] = ..., rule: _Optional[str] = ..., message: _Optional[str] = ..., strikes: _Optional[int] = ..., played: _Optional[str] = ..., forfeited: _Optional[bool] = ...) -> None: ...

class Resumed(_message.Message):
    __slots__ = ("match_id", "terms", "index", "view", "bank_ms", "request", "signed", "grace_ms")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    SIGNED_FIELD_NUMBER: _ClassVar[int]
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    terms: MatchTerms
    index: int
    view: _game_pb2.GameView
    bank_ms: int
    request: DecisionRequest
    signed: SignedOffer
    grace_ms: int
    def __init__(self, match_id: _Optional[str] = ..., terms: _Optional[_Union[MatchTerms, _Mapping]] = ..., index: _Optional[int] = ..., view: _Optional[_Union[_game_pb2.GameView, _Mapping]] = ..., bank_ms: _Optional[int] = ..., request: _Optional[_Union[DecisionRequest, _Mapping]] = ..., signed: _Optional[_Union[SignedOffer, _Mapping]] = ..., grace_ms: _Optional[int] = ...) -> None: ...

class Forfeit(_message.Message):
    __slots__ = ("seat", "at", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    at: int
    reason: str
    def __init__(self, seat: _Optional[int] = ..., at: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class Verdict(_message.Message):
    __slots__ = ("kind", "placements", "forfeits")
    KIND_FIELD_NUMBER: _ClassVar[int]
    PLACEMENTS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    kind: VerdictKind
    placements: _containers.RepeatedScalarFieldContainer[int]
    forfeits: _containers.RepeatedCompositeFieldContainer[Forfeit]
    def __init__(self, kind: _Optional[_Union[VerdictKind, str]] = ..., placements: _Optional[_Iterable[int]] = ..., forfeits: _Optional[_Iterable[_Union[Forfeit, _Mapping]]] = ...) -> None: ...

class MatchEnd(_message.Message):
    __slots__ = ("match_id", "verdict", "result", "server_seed", "nonces", "deal", "replay_url")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SERVER_SEED_FIELD_NUMBER: _ClassVar[int]
    NONCES_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    REPLAY_URL_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    verdict: Verdict
    result: _game_pb2.GameResult
    server_seed: bytes
    nonces: _containers.RepeatedScalarFieldContainer[bytes]
    deal: bytes
    replay_url: str
    def __init__(self, match_id: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., result: _Optional[_Union[_game_pb2.GameResult, _Mapping]] = ..., server_seed: _Optional[bytes] = ..., nonces: _Optional[_Iterable[bytes]] = ..., deal: _Optional[bytes] = ..., replay_url: _Optional[str] = ...) -> None: ...

class MatchAborted(_message.Message):
    __slots__ = ("match_id", "reason", "message", "rest_ms")
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REST_MS_FIELD_NUMBER: _ClassVar[int]
    match_id: str
    reason: str
    message: str
    rest_ms: int
    def __init__(self, match_id: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., rest_ms: _Optional[int] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ("code", "reason", "message", "match_id", "fatal")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MATCH_ID_FIELD_NUMBER: _ClassVar[int]
    FATAL_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    message: str
    match_id: str
    fatal: bool
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., match_id: _Optional[str] = ..., fatal: _Optional[bool] = ...) -> None: ...

class ReleaseRequest(_message.Message):
    __slots__ = ("token", "version", "note")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    token: str
    version: str
    note: str
    def __init__(self, token: _Optional[str] = ..., version: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class ReleaseResponse(_message.Message):
    __slots__ = ("bot", "version", "is_ready")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    IS_READY_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: str
    is_ready: bool
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[str] = ..., is_ready: _Optional[bool] = ...) -> None: ...
