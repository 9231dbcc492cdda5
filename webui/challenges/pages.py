"""Pages of challenges: making one, waiting for it, the challenges that a bot accepts, and rematches."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webui.accounts.security import actor
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef
from webui.challenges import actions, queries
from webui.challenges.forms import AcceptForm, ChallengeForm
from webui.challenges.queries import WAIT_S
from webui.challenges.values import ChallengeLine
from webui.challenges.words import WaitingSeat, refusal_sentence, waiting_seats
from webui.core.errors import BadRequest, NotFound
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.core.visitors import user_id

AGAIN_S = 3
"""Seconds after which the page of a waiting challenge is reloaded."""
CHALLENGES_SHOWN = 30


@dataclass(frozen=True, kw_only=True)
class NewChallengeContext(FormContext):
    """The form of a challenge to a bot."""

    template: str = "challenges/challenge_new.html"
    here: str = "bots"
    bot: BotRef
    is_own: bool
    has_bot: bool
    """Whether the visitor has a bot that can play."""
    minutes: int = WAIT_S // 60


@dataclass(frozen=True, kw_only=True)
class ChallengeContext(PageContext):
    """State of a challenge that waits for its bots."""

    template: str = "challenges/challenge.html"
    here: str = "own"
    line: ChallengeLine
    seats: list[WaitingSeat]
    absent: list[WaitingSeat]
    others: list[WaitingSeat]
    """Seats whose bots play another game."""
    minutes: int = WAIT_S // 60
    opponent: BotRef


@dataclass(frozen=True, kw_only=True)
class ChallengesContext(FormContext):
    """The challenges of a visitor's bot, and the form of those that it accepts."""

    template: str = "challenges/challenges.html"
    here: str = "own"
    bot: BotRef
    lines: list[ChallengeLine]


@dataclass(frozen=True, kw_only=True)
class RefusedChallengeContext(PageContext):
    """The reason why there is no rematch."""

    template: str = "challenges/challenge_refused.html"
    here: str = "matches"
    why: str
    match: str
    """Id of the match."""


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def challenge_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the form of a challenge to this bot, and make the challenge."""
    bot = bot_queries.find_bot(slug)
    if bot is None or bot.slug != slug or not queries.is_challengeable(bot.id, user_id(request)):
        raise Http404("no bot that can be challenged")
    own, others = queries.opponents(user_id(request))
    form = ChallengeForm(bot, own, others, presence.online(), request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            challenge = actions.challenge(user_id(request), form.seats(), form.expansions())
        except (BadRequest, NotFound) as error:
            form.add_error(None, refusal_sentence(error))
        else:
            return redirect("challenge", challenge_id=challenge)
    is_own = bot.owner_id == user_id(request)
    return render_page(request, NewChallengeContext(bot=bot, is_own=is_own, form=form, has_bot=bool(own)))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def challenge(request: HttpRequest, challenge_id: str) -> HttpResponse:
    """Show what a challenge waits for, or redirect to its match. Its owner can withdraw it."""
    line = get_or_404(queries.challenge, challenge_id)
    if line.owner_id != user_id(request) and not request.user.is_staff:
        raise Http404("no such challenge of yours")
    if request.method == "POST":
        actions.withdraw_challenge(challenge_id, user_id(request))
        return redirect("challenge", challenge_id=challenge_id)
    if line.match is not None:
        return redirect("match", match_id=line.match)
    seats = waiting_seats(line, presence.online())
    context = ChallengeContext(
        line=line,
        seats=seats,
        absent=[seat for seat in seats if seat.state == "offline"],
        others=[seat for seat in seats if seat.state == "other game"],
        opponent=next((s.bot for s in line.seats if s.bot.owner_id != line.owner_id), line.seats[0].bot),
    )
    response = render_page(request, context)
    if line.state == "WAITING":
        response["Refresh"] = str(AGAIN_S)
    return response


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def challenges(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the challenges of a visitor's bot, and the form of those that it accepts."""
    own = own_bot(request, slug=slug)
    form = AcceptForm(queries.accepted_challenges(own.bot.id), request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            actions.accept_challenges(own.bot.id, **form.setting(), by=actor(request))
        except BadRequest as error:
            form.add_error("friends", refusal_sentence(error))
        else:
            return redirect("challenges", slug=slug)
    lines = queries.challenges_of(user_id(request), own.bot.id, CHALLENGES_SHOWN)
    return render_page(request, ChallengesContext(bot=own.bot, form=form, lines=lines))


@login_required
@require_POST
def rematch(request: HttpRequest, match_id: str) -> HttpResponse:
    """Challenge the bots of a challenge's match again, with the seats rotated."""
    try:
        order = get_or_404(actions.rematch, user_id(request), match_id)
    except BadRequest as error:
        return render_page(request, RefusedChallengeContext(why=refusal_sentence(error), match=match_id), 409)
    return redirect("challenge", challenge_id=order)
