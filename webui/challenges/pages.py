"""Pages of challenges: making one, waiting for it, the challenges that a bot accepts, and rematches."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from webui.accounts.security import actor
from webui.accounts.visitor import user_id
from webui.bots import presence
from webui.bots import queries as bot_queries
from webui.bots.visitor import own_bot
from webui.challenges import actions, queries
from webui.challenges.forms import AcceptForm, ChallengeForm
from webui.challenges.queries import WAIT_S
from webui.challenges.words import refusal_sentence, waiting_seats
from webui.core.errors import BadRequest, NotFound

AGAIN_S = 3
"""Seconds after which the page of a waiting challenge is reloaded."""
CHALLENGES_SHOWN = 30


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
    context = {
        "here": "bots",
        "bot": bot,
        "is_own": bot.owner_id == user_id(request),
        "form": form,
        "has_bot": bool(own),
        "minutes": WAIT_S // 60,
    }
    return render(request, "challenges/challenge_new.html", context, status=422 if form.is_bound else 200)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def challenge(request: HttpRequest, challenge_id: str) -> HttpResponse:
    """Show what a challenge waits for, or redirect to its match. Its owner can withdraw it."""
    try:
        line = queries.challenge(challenge_id)
    except NotFound as error:
        raise Http404(str(error)) from error
    if line.owner_id != user_id(request) and not request.user.is_staff:
        raise Http404("no such challenge of yours")
    if request.method == "POST":
        actions.withdraw_challenge(challenge_id, user_id(request))
        return redirect("challenge", challenge_id=challenge_id)
    if line.match is not None:
        return redirect("match", match_id=line.match)
    seats = waiting_seats(line, presence.online())
    context = {
        "here": "own",
        "line": line,
        "seats": seats,
        "absent": [one for one in seats if one.state == "offline"],
        "others": [one for one in seats if one.state == "other game"],
        "minutes": WAIT_S // 60,
        "opponent": next((s.bot for s in line.seats if s.bot.owner_id != line.owner_id), line.seats[0].bot),
    }
    response = render(request, "challenges/challenge.html", context)
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
    context = {"here": "own", "bot": own.bot, "form": form, "lines": lines}
    return render(request, "challenges/challenges.html", context, status=422 if form.is_bound else 200)


@login_required
@require_POST
def rematch(request: HttpRequest, match_id: str) -> HttpResponse:
    """Challenge the bots of a challenge's match again, with the seats rotated."""
    try:
        order = actions.rematch(user_id(request), match_id)
    except NotFound as error:
        raise Http404(str(error)) from error
    except BadRequest as error:
        context = {"here": "matches", "why": refusal_sentence(error), "match": match_id}
        return render(request, "challenges/challenge_refused.html", context, status=409)
    return redirect("challenge", challenge_id=order)
