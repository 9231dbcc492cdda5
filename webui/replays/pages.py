"""Pages of a match: the match at any decision, its frames, its alternatives, its proof, and its replay as a file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBadRequest,
    HttpResponseBase,
    JsonResponse,
)
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from arena.host.signing import keys_document
from webui.core.compress import accepted
from webui.core.errors import NotFound
from webui.core.feeds import feeds
from webui.core.headers import embeddable
from webui.core.pages import PageContext, json_attachment, link_card, render_page, with_etag
from webui.core.shared import VERSIONED_S, Sharing, is_for_strangers
from webui.core.static_files import edition
from webui.core.streams import stream
from webui.core.visitors import Live, address_of, refused
from webui.fair_queue import Busy
from webui.hosting import queries as hosting_queries
from webui.hosting.values import HostedSeatValue
from webui.matches import queries as match_queries
from webui.matches.values import HiddenResult, MatchLine, MatchPage
from webui.ratings.charts import ScoreChart, score_chart
from webui.replays import onward, timeline
from webui.replays.accuracy import SeatAccuracy, seat_accuracies
from webui.replays.alternatives import Alternatives, alternatives_at
from webui.replays.frames import packed_frames
from webui.replays.live import MatchFeed
from webui.replays.onward import Onward, offers_rematch
from webui.replays.parts import ShownTable, shown_table
from webui.replays.proof import NoProof, proof_of_match
from webui.replays.replay import ENDED, FinishedReplay, Replay, load_replay
from webui.replays.story import Chapter, chance_totals, chapters, deciding, uncertainty
from webui.replays.summary import Summary, summary_of
from webui.replays.transcript import OwnNote, asks_of, own_notes
from webui.stories import queries as story_queries
from webui.stories.hooks import HeldRecord, records_of_match
from webui.stories.values import StoryPage
from webui.words.titles import match_description, match_title, seat_names
from webui.words.verdicts import verdict_sentence

SETTLED_SHARE: Final = 0.1
"""Part of its age for which the page of a match that has ended is sent again, as caches of HTTP do (RFC 9111)."""
LONGEST_S: Final = 600.0
"""Maximum age of a kept page in seconds. The bots' current ratings and the suggestions on it can be this old."""
OFFERS_A_PAGE: Final = 500
LAST_OFFER: Final = 2**31 - 1
"""Largest number that the database can compare with."""


@dataclass(frozen=True)
class WatchedMatch:
    """A match as this visitor watches it."""

    line: MatchLine
    view: int
    """Seat whose view is shown. 0 for the public view."""
    hides_result: bool
    replay: Replay | None
    """None if nothing has been decided (yet)."""
    story: StoryPage | None
    title: str
    description: str
    verdict: str
    records: list[HeldRecord] = field(default_factory=list)
    """Records of the arena that the match holds."""

    @property
    def is_waiting(self) -> bool:
        """Whether the first decision is still to come."""
        return self.replay is None and self.line.state not in ENDED


@dataclass(frozen=True, kw_only=True)
class MatchTable(ShownTable):
    """The table of a match at a ply, with what the viewer around it needs."""

    ply: int
    last: int
    last_index: int
    before: int
    """Index of the previous ply."""
    links: timeline.Links
    summary: Summary
    chapters: list[Chapter]
    deciding: timeline.Mark | None
    accuracies: list[SeatAccuracy]
    """Accuracy of each seat. Empty without a story."""
    percent: float
    """Position of the ply on the timeline."""
    query: str
    """Start of the query in links to other positions."""
    site: str


class Reproducible(NamedTuple):
    """The decisions of one seat that its owner can reproduce with `arena debug`."""

    seat: int
    slug: str
    asks: list[int]
    at: int
    """The current decision, or the last one before it."""


@dataclass(frozen=True)
class OwnersView:
    """Panels beside the board that only owners of the match's bots see."""

    notes: list[tuple[OwnNote, str]]
    """Notes and faults of the visitor's bots, each with its bot's slug."""
    again: list[Reproducible]


@dataclass(frozen=True)
class MatchChart:
    """The chart of points or, with `?chart=chance`, of the chances to win."""

    drawing: ScoreChart
    shows_chances: bool
    chances: str
    """The chances as JSON, so that a script can draw them. Empty if they are not known."""
    uncertainty: int


@dataclass(frozen=True, kw_only=True)
class EmbedContext(PageContext):
    """The table of a match with its controls, for other sites."""

    template: str = "replays/embed.html"
    line: MatchLine
    match: WatchedMatch
    table: MatchTable | None
    onward: Onward | None = None
    own: OwnersView | None = None


@dataclass(frozen=True, kw_only=True)
class MatchContext(EmbedContext):
    """The page of a match. Without a `table` it says why there is none."""

    here: str = "matches"
    page: MatchPage
    has_rematch: bool
    moves: str
    chart: MatchChart | None
    hosted: list[HostedSeatValue]
    """Sandboxes of the visitor's bots in a match that has ended."""


def sharing(request: HttpRequest, match_id: str) -> Sharing | None:
    """Let strangers share the page of a match. The longer ago the match ended, the longer the page is sent again."""
    if not is_for_strangers(request):
        return None
    version = match_queries.page_version(match_id)
    age_s = (timezone.now() - version.ended_at).total_seconds() if version.ended_at else 0.0
    return Sharing(min(max(SETTLED_SHARE * age_s, VERSIONED_S), LONGEST_S), version.text)


@require_safe
def match(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show a match before the event at index `?d=137`, or at its latest position. `?view=2` is the view of seat 2."""
    try:
        page = visible_match(match_id, request)
    except Http404 as error:
        if isinstance(error.__cause__, HiddenResult):
            return render_page(request, PageContext(template="replays/match_hidden.html", here="events"), 404)
        raise
    line = page.line
    watched = _watched(request, line)
    table = match_table(request, watched)
    shows_all = not watched.hides_result
    context = MatchContext(
        template="replays/match.html" if table else "replays/match_none.html",
        card=link_card(
            request, "match", line.id, watched.title, watched.description, query="" if shows_all else "?spoilers=0"
        ),
        page=page,
        line=line,
        match=watched,
        table=table,
        has_rematch=_has_rematch(request, line),
        moves=move_list(table, watched) if table else "",
        onward=onward.onward(line) if table and line.state in ENDED else None,
        own=_own(request, line, table.index) if table and shows_all else None,
        chart=_chart(request, watched, table) if table and shows_all else None,
        hosted=_hosted(request, line) if shows_all else [],
    )
    return render_page(request, context)


@embeddable
@require_safe
def embed(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the table of a match with its controls, for other sites to embed in a frame."""
    line = visible_match(match_id).line
    watched = _watched(request, line)
    return render_page(request, EmbedContext(line=line, match=watched, table=match_table(request, watched)))


def _hosted(request: HttpRequest, line: MatchLine) -> list[HostedSeatValue]:
    owners = {seat.version.bot.owner_id for seat in line.seats if seat.version.is_hosted}
    if request.user.pk not in owners or line.state not in ENDED:
        return []
    return hosting_queries.seats_of_owner(line.id, request.user.pk)


def _has_rematch(request: HttpRequest, line: MatchLine) -> bool:
    if not line.is_challenge or request.user.pk is None or line.state not in ENDED:
        return False
    return any(offers_rematch(line.id, request.user.pk))


def _watched(request: HttpRequest, line: MatchLine) -> WatchedMatch:
    seat = _seat(request, line)
    replay = load_replay(line, seat)
    hides = hides_result(request, line)
    story = story_queries.story(line.id) if line.state == "FINISHED" and not hides else None
    scores = replay.scores(len(replay.steps)) if replay is not None and story else None
    return WatchedMatch(
        line,
        seat,
        hides,
        replay,
        story,
        title=match_title(line, hides_result=hides),
        description=match_description(line, story.summary if story else None, scores),
        verdict=verdict_sentence(line, story.summary, scores) if story else "",
        records=[record for held in records_of_match(line.id) for record in held] if story else [],
    )


def match_table(request: HttpRequest, watched: WatchedMatch) -> MatchTable | None:
    """Return the table at the requested ply. Return None if nothing has been decided (yet)."""
    line, replay, story, hides = watched.line, watched.replay, watched.story, watched.hides_result
    if replay is None:
        return None
    ply = replay.ply_of(request.GET.get("d", "0" if hides else None))
    percent = round(100 * ply / (len(replay.steps) or 1), 2)
    summary = summary_of(replay, line, watched.view)
    query = {**({"view": str(watched.view)} if watched.view else {}), **({"spoilers": "0"} if hides else {})}
    return MatchTable(
        **vars(shown_table(replay, line, ply)),
        ply=ply,
        last=len(replay.steps),
        last_index=replay.index_of(len(replay.steps)),
        before=replay.index_of(ply - 1) if ply else 0,
        links=timeline.links(replay, ply),
        summary=summary.until(ply, percent) if hides else summary,
        chapters=chapters(story, replay, seat_names(line)) if story else [],
        deciding=deciding(story, summary.marks) if story else None,
        accuracies=seat_accuracies(story, seat_names(line)) if story else [],
        percent=percent,
        query=f"?{urlencode(query)}&" if query else "?",
        site=request.build_absolute_uri("/").rstrip("/"),
    )


def move_list(table: MatchTable, watched: WatchedMatch) -> str:
    """Return the move list. If the visitor does not want to see the result, its links keep it hidden."""
    moves = table.summary.move_list(table.ply)
    return SafeString(moves.replace('href="?d=', 'href="?spoilers=0&amp;d=')) if watched.hides_result else moves


def _chart(request: HttpRequest, watched: WatchedMatch, table: MatchTable) -> MatchChart | None:
    totals, story = table.summary.totals, watched.story
    if not totals or watched.replay is None:
        return None
    chances = chance_totals(story.points, watched.replay) if story else None
    shows_chances = chances is not None and request.GET.get("chart") == "chance"
    shown = chances if chances is not None and shows_chances else totals
    names = seat_names(watched.line)
    drawing = score_chart(shown, table.summary.rounds, names, table.ply, is_percent=shows_chances)
    text = "" if chances is None else json.dumps(chances, separators=(",", ":"))
    noise = uncertainty(story.points) if story else 0
    return MatchChart(drawing, shows_chances, text, noise) if drawing else None


def _own(request: HttpRequest, line: MatchLine, index: int) -> OwnersView:
    own = {seat.seat: seat.version.bot.slug for seat in line.seats if seat.version.bot.owner_id == request.user.pk}
    log = match_queries.match_log(line.id, notes_of=list(own)) if own else []
    asks = {seat: asks_of(log, seat) for seat in own} if line.state == "FINISHED" else {}
    return OwnersView(
        notes=[(note, own[note.seat]) for note in own_notes(log, own)],
        again=[
            Reproducible(seat, own[seat], indices, max((ask for ask in indices if ask <= index), default=indices[0]))
            for seat, indices in asks.items()
            if indices
        ],
    )


def hides_result(request: HttpRequest, line: MatchLine) -> bool:
    """Return whether the visitor wants to watch a finished match without seeing its result (`?spoilers=0`)."""
    return line.state == "FINISHED" and request.GET.get("spoilers") == "0"


@require_safe
def position(request: HttpRequest, match_id: str) -> HttpResponse:
    """Return the position document at a ply, as the page shows it."""
    line = visible_match(match_id, request).line
    replay = load_replay(line, _seat(request, line))
    if replay is None:
        raise Http404("nothing has been decided yet")
    ply = replay.ply_of(request.GET.get("d"))
    shown = replay.position(ply)
    assert shown is not None  # every ply of a replay has one
    return json_attachment(shown.document, f"naqala-{line.id}-{replay.index_of(ply)}.json")


@require_safe
async def live(request: HttpRequest, match_id: str) -> HttpResponseBase:
    """Send the frames of a running match as server-sent events.

    With `?after=137` or `Last-Event-ID`, send only later frames.
    """
    language = get_language() or settings.LANGUAGE_CODE

    def follow(page: MatchPage, after: int) -> Live | None:
        line = page.line
        if line.state in ENDED:
            return None
        return feeds.follow((line.id, language), lambda: MatchFeed(line, language), after)

    return await stream(request, lambda: visible_match(match_id), follow)


@require_safe
@vary_on_headers("Accept-Encoding")
def frames(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send all frames of a match so far, compressed. After the end, `?view=2` is the view of seat 2."""
    line = visible_match(match_id, request).line
    try:
        packed = packed_frames(line, _seat(request, line), address=address_of(request))
    except Busy:
        return HttpResponse(status=503, headers={"Retry-After": "1", "Cache-Control": "no-store"})
    if packed is None:
        raise Http404("nothing has been decided yet")
    encoding = accepted(request) or "gzip"  # browsers accept one of them
    response = HttpResponse(packed[encoding], content_type="application/json")
    response["Content-Encoding"] = encoding
    # Browsers cache frames by the site's edition, so that a newer viewer never gets frames in an older format.
    ended = "private, max-age=3600" if request.GET.get("e") == edition() else "no-cache"
    response["Cache-Control"] = ended if line.state in ENDED else "no-store"
    return with_etag(request, response)


def _seat(request: HttpRequest, line: MatchLine) -> int:
    """Return the seat number in `?view=`. Return 0 for the public view."""
    wanted = request.GET.get("view", "")
    return int(wanted) if wanted in [str(seat.seat) for seat in line.seats] else 0


@require_safe
def replay(request: HttpRequest, match_id: str) -> HttpResponse:
    """Send the replay document of a match as a file. Raise `Http404` before the end of the match."""
    line = visible_match(match_id, request).line
    record = match_queries.match_record(line.id)
    if record is None:
        raise Http404("no replay before the end of the match")
    return json_attachment(record, f"naqala-{line.id}.json")


def visible_match(match_id: str, request: HttpRequest | None = None) -> MatchPage:
    """Return a match that is public, or visible to the visitor of `request`. Otherwise raise `Http404`."""
    try:
        return match_queries.seen_match(match_id, request.user.pk if request else None)
    except (HiddenResult, NotFound) as error:
        raise Http404(str(error)) from error


@dataclass(frozen=True, kw_only=True)
class AlternativesContext(PageContext):
    """The alternatives to one decision. `choices` is None while the computation is too busy."""

    template: str = "replays/alternatives.html"
    here: str = "matches"
    line: MatchLine
    asked_at: int
    """Index of the decision."""
    d: int
    """Index of the position after it."""
    spoilers: str
    choices: Alternatives | None
    earlier: int | None
    """Index of the last earlier decision that had alternatives, and the name of its `bot`."""
    bot: str


@require_safe
def alternatives(request: HttpRequest, match_id: str) -> HttpResponse:
    """Show the best alternatives to the decision at an index, `?d=137`. Answer 503 if the computation is too busy."""
    line = visible_match(match_id).line  # only public matches, whoever asks
    replay = load_replay(line) if line.state == "FINISHED" else None
    if not isinstance(replay, FinishedReplay):
        raise Http404("only of a match that has finished")
    ply = replay.ply_of(request.GET.get("d"))
    if ply == len(replay.steps):
        raise Http404("there is no such decision")
    if too_many := refused(request, "alternatives"):
        return too_many
    try:
        choices = alternatives_at(line, replay, ply, address_of(request))
    except Busy:
        choices = None
    earlier = None
    if choices and not choices.others:
        earlier = next(
            (replay.steps[before] for before in range(ply - 1, -1, -1) if replay.options(before + 1) > 1),
            None,
        )
    context = AlternativesContext(
        line=line,
        asked_at=replay.steps[ply].index,
        d=replay.steps[ply].next_index,
        spoilers="&spoilers=0" if hides_result(request, line) else "",
        choices=choices,
        earlier=earlier.index if earlier else None,
        bot=seat_names(line)[earlier.seat - 1] if earlier else "",
    )
    response = render_page(request, context, 200 if choices else 503)
    if not choices:
        response["Retry-After"] = "2"
    return response


@require_safe
def proof(request: HttpRequest, match_id: str) -> HttpResponse:
    """Return the proof of a match as JSON. Raise `Http404` before the end of the match."""
    line = visible_match(match_id, request).line
    try:
        document = proof_of_match(line.id)
    except NoProof as error:
        raise Http404("no proof before the end of the match") from error
    return JsonResponse(document)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """Return the public keys that sign records or have signed some, at the well-known address of RFC 8615."""
    return JsonResponse(keys_document(match_queries.signing_keys()))


@require_safe
def offers(request: HttpRequest) -> HttpResponse:
    """Return a page of the log of offers, one entry a line, starting after entry `after`.

    The page after the last entry is empty. A full page can change only if some of its entries are hidden.
    """
    after = request.GET.get("after", "0")
    if not after.isascii() or not after.isdecimal() or int(after[:12]) > LAST_OFFER:
        return HttpResponseBadRequest("after: the number of your last entry, or 0", content_type="text/plain")
    lines = match_queries.offers(int(after), OFFERS_A_PAGE)
    response = HttpResponse(
        "".join(f"{line.text}\n" for line in lines), content_type="application/jsonl; charset=utf-8"
    )
    is_final = len(lines) == OFFERS_A_PAGE and not any(line.is_hidden for line in lines)
    response["Cache-Control"] = "public, max-age=86400" if is_final else "no-cache"
    return response
