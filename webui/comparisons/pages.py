"""Pages of comparisons: the order and the results. Only the bot's owner and staff see them."""

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from arena.ratings.sequential import Trial
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef
from webui.comparisons import actions, queries
from webui.comparisons.forms import ComparisonForm
from webui.comparisons.values import ComparisonLine, ComparisonPage
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.core.visitors import user_id
from webui.ratings.charts import LikelihoodChart, likelihood_chart

AGAIN_S = 15
"""Seconds after which the page of a running comparison is reloaded."""


@dataclass(frozen=True, kw_only=True)
class ComparisonsContext(FormContext):
    """The comparisons of a visitor's bot, and the form that orders another one."""

    template: str = "comparisons/comparisons.html"
    here: str = "own"
    bot: BotRef
    lines: list[ComparisonLine]


@dataclass(frozen=True, kw_only=True)
class ComparisonContext(PageContext):
    """The state of one comparison."""

    template: str = "comparisons/comparison.html"
    here: str = "own"
    page: ComparisonPage
    line: ComparisonLine
    trial: Trial
    chart: LikelihoodChart | None
    points: int | None
    """Estimated difference in rating. None without an estimate."""
    half: int | None
    """Half the width of its interval."""


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def comparisons(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the comparisons of a visitor's bot, and the form that orders another one."""
    own = own_bot(request, slug=slug)
    new, old = queries.versions_to_compare(own.bot.id)
    form = ComparisonForm(own.bot.id, new, old, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            order = actions.compare_versions(user_id(request), **form.order())
        except (BadRequest, NotFound, TooMany) as error:
            form.add_error(None, _sentence(error))
        else:
            return redirect("comparison", comparison_id=order)
    lines = queries.comparisons_of(own.bot.id)
    return render_page(request, ComparisonsContext(bot=own.bot, form=form, lines=lines))


def _sentence(error: BadRequest | NotFound | TooMany) -> str:
    if isinstance(error, TooMany):
        return _("You have ordered many comparisons. Wait for one to end, or stop one.")
    return _(
        "These two cannot be compared. Choose two different versions of your bots; the second may also be a house bot."
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def comparison(request: HttpRequest, comparison_id: str) -> HttpResponse:
    """Show the state of a comparison. Its owner can stop it."""
    page = get_or_404(queries.comparison_page, comparison_id)
    if page.owner_id != user_id(request) and not request.user.is_staff:
        raise Http404("no such comparison of yours")
    if request.method == "POST":
        actions.stop_comparison(comparison_id, user_id(request))
        return redirect("comparison", comparison_id=comparison_id)
    estimate = page.trial.estimate()
    context = ComparisonContext(
        page=page,
        line=page.line,
        trial=page.trial,
        chart=likelihood_chart(page.trial),
        points=None if estimate is None else round(estimate.points),
        half=None if estimate is None else round(estimate.half_width),
    )
    response = render_page(request, context)
    if page.line.state == "RUNNING":
        response["Refresh"] = str(AGAIN_S)
    return response
