"""Pages of the lessons: their list, and each with the editor and the check of its program."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena.lessons import LESSONS
from webui.core.errors import LadderError, Refusal, TooMany
from webui.core.pages import PageContext, get_or_404, render_page
from webui.core.visitors import address_of, user_id
from webui.hosting import queries as hosting_queries
from webui.writing import actions, queries
from webui.writing.lessons import TEXTS, LessonText
from webui.writing.pages import sentence_of
from webui.writing.shown import ShownTrial, shown_trial
from webui.writing.values import TrialValue


@dataclass(frozen=True)
class LessonLine:
    """A lesson in the list."""

    number: int
    text: LessonText
    is_passed: bool
    """Whether the visitor's account has passed it."""


@dataclass(frozen=True, kw_only=True)
class LessonsContext(PageContext):
    """The list of lessons."""

    template: str = "writing/lessons.html"
    here: str = "write"
    lessons: list[LessonLine]


@dataclass(frozen=True, kw_only=True)
class BotLessonContext(PageContext):
    """A lesson, with the check of a program beside it if there is one."""

    template: str = "writing/lesson.html"
    here: str = "write"
    lessons: list[LessonLine]
    number: int
    text: LessonText
    source: str
    start: str
    solution: str
    error: str = ""
    """Why the form was refused. Empty if it was not."""
    is_hosting: bool
    """Whether a runner is connected, so that programs are checked."""
    trial: TrialValue | None = None
    shown: ShownTrial | None = None


def _lines(request: HttpRequest) -> list[LessonLine]:
    passed = queries.passed_lessons(user_id(request)) if request.user.is_authenticated else set()
    return [LessonLine(number, text, number in passed) for number, text in enumerate(TEXTS, start=1)]


@never_cache
@require_safe
def lessons(request: HttpRequest) -> HttpResponse:
    """List the lessons, and which the visitor has passed."""
    return render_page(request, LessonsContext(lessons=_lines(request)))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def lesson(request: HttpRequest, number: int) -> HttpResponse:
    """Show a lesson. `?trial=KEY` shows the check of a program. A form with a source checks it."""
    if not 1 <= number <= len(LESSONS):
        raise Http404("there is no such lesson")
    taught = LESSONS[number - 1]
    page = BotLessonContext(
        lessons=_lines(request),
        number=number,
        text=TEXTS[number - 1],
        source=taught.start,
        start=taught.start,
        solution=taught.solution,
        is_hosting=hosting_queries.runners_alive() > 0,
    )
    if request.method == "POST":
        return _check(request, page)
    if key := request.GET.get("trial", ""):
        value = get_or_404(queries.trial, key)
        shown = shown_trial(value, request.GET.get("step", ""))
        page = replace(page, source=value.source, trial=value, shown=shown)
    return render_page(request, page)


def _check(request: HttpRequest, page: BotLessonContext) -> HttpResponse:
    source = request.POST.get("source", "")
    try:
        if not page.is_hosting:
            raise Refusal("NO_RUNNER", "no machine of this arena plays bots now: try again later")
        user = user_id(request) if request.user.is_authenticated else None
        opponent = LESSONS[page.number - 1].opponent
        key = actions.try_source(user, address_of(request), source, opponent, lesson=page.number)
    except LadderError as error:
        refused = replace(page, source=source, error=sentence_of(error))
        return render_page(request, refused, 429 if isinstance(error, TooMany) else 422)
    return redirect(f"{reverse('lesson', args=[page.number])}?trial={key}")
