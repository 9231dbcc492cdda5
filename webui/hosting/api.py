"""Routes of hosted bots: hand in a version, follow its build, choose the version that plays."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from ninja import Query, Router, Status

from arena.hosting.runtime import RuntimeDescription
from webui.api.callers import Request, actor, caller, needs, own_bot
from webui.api.lists import Listed, PageQuery, page_of
from webui.api.schemas import Joined
from webui.bots.queries import find_bot
from webui.core.errors import BadRequest, NotFound
from webui.core.uploads import received
from webui.hosting import actions, publishing, queries
from webui.hosting.schemas import (
    Publication,
    Runtimes,
    Sources,
    SubmissionDocument,
    SubmissionQuery,
    Submissions,
    WeightsDocument,
    WeightsPage,
    WeightsQuery,
)
from webui.hosting.uploads import bundle_of, weights_in
from webui.hosting.values import SubmissionPage, SubmissionValue, WeightsValue

router = Router(tags=["hosted bots"])


def _takes_file() -> dict[str, Any]:
    """Return the options of a route with the scope `bots`, whose body is a file."""
    options = needs("bots")
    binary = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    options["openapi_extra"] = {**options["openapi_extra"], "requestBody": {"required": True, "content": binary}}
    return options


@router.post("/bots/{slug}/submissions", response={201: SubmissionDocument}, **_takes_file())
def submit_version(request: Request, slug: str, order: Query[SubmissionQuery]) -> Status[Joined]:
    """Hand in a version of a bot of yours, which the arena then runs.

    The body is the file itself: a program, a zip or a tar of at most 50 MB. A runner builds and examines it. It plays
    as soon as it is ready. The same file under the same name is handed in once.
    """
    bot_id = own_bot(request, slug).bot.id
    actions.check_submission(actor(request), bot_id, order.version or "", order.note)
    with received(request, caller(request).user_id) as body, bundle_of(body, order.file) as bundle:
        made = actions.submit(actor(request), bot_id, order.version or "", order.note, bundle)
    return Status(201, _shown(queries.submission(made.id)))


@router.get("/bots/{slug}/submissions", response=Submissions, **needs("read", "bots"))
def list_submissions(request: Request, slug: str, page: Query[PageQuery]) -> Listed[SubmissionValue]:
    """Versions of a bot of yours that were handed in, newest first."""
    bot_id = own_bot(request, slug).bot.id
    lines = queries.submissions_of(bot_id, page.limit + 1, before=page.after(int))
    return page_of(lines, page, lambda line: line.id)


@router.get("/runtimes", response=Runtimes)
def list_runtimes(request: Request) -> Listed[RuntimeDescription]:
    """What versions that are handed in find in the arena: processor, interpreters, libraries.

    Each runtime of the runners that are connected now is listed once. There is none while no runner is connected.
    """
    return Listed(queries.runtimes())


@router.post("/weights", response={201: WeightsDocument}, **_takes_file())
def store_weights(request: Request) -> Status[WeightsValue]:
    """Store weights, which versions of your bots then name by their hash.

    The body is a zip or a tar of the content of the folder `weights`, at most 100 MB. Weights that no version uses are
    deleted after a day.
    """
    actions.check_stored(actor(request))
    user_id = caller(request).user_id
    with received(request, user_id) as body, weights_in(body) as weights:
        actions.store_weights(actor(request), weights)
    return Status(201, queries.weights_of(user_id, 1, sha256=weights.sha256)[0])


@router.get("/weights", response=WeightsPage, **needs("read", "bots"))
def list_weights(request: Request, page: Query[WeightsQuery]) -> Listed[WeightsValue]:
    """Weights of yours, newest first."""
    lines = queries.weights_of(caller(request).user_id, page.limit + 1, before=page.after(int), sha256=page.sha256)
    return page_of(lines, page, lambda line: line.id)


@router.get("/bots/{slug}/sources", response=Sources)
def list_sources(request: Request, slug: str) -> Listed[Joined]:
    """Sources that the owner of a bot has published, newest version first."""
    bot = find_bot(slug)
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    listed = []
    for source in queries.published_sources(bot.id):
        page = request.build_absolute_uri(reverse("source", args=[slug, source.id]))
        listed.append(Joined(source, url=page, archive=f"{page}archive"))
    return Listed(listed)


@router.post("/submissions/{submission_id}/publish", response=SubmissionDocument, **needs("bots"))
def publish_source(request: Request, submission_id: int, order: Publication) -> Joined:
    """Let everybody read and download the source of a version of yours, under a licence."""
    line = _own(request, submission_id).line
    publishing.publish_source(actor(request), line.bot.id, line.id, order.licence)
    return _shown(_own(request, submission_id))


@router.post("/submissions/{submission_id}/unpublish", response=SubmissionDocument, **needs("bots"))
def unpublish_source(request: Request, submission_id: int) -> Joined:
    """Take the published source of a version of yours back."""
    line = _own(request, submission_id).line
    publishing.unpublish_source(actor(request), line.bot.id, line.id)
    return _shown(_own(request, submission_id))


@router.get("/submissions/{submission_id}", response=SubmissionDocument, **needs("read", "bots"))
def get_submission(request: Request, submission_id: int) -> Joined:
    """A version of yours that was handed in, with the log of its build."""
    return _shown(_own(request, submission_id))


@router.delete("/submissions/{submission_id}", response=SubmissionDocument, **needs("bots"))
def withdraw_submission(request: Request, submission_id: int) -> Joined:
    """Take a version back before it is ready.

    If it has ended already, it stays as it is.
    """
    line = _own(request, submission_id).line
    actions.withdraw_submission(line.bot.id, line.id)
    return _shown(_own(request, submission_id))


@router.delete("/submissions/{submission_id}/files", response=SubmissionDocument, **needs("bots"))
def delete_submission_files(request: Request, submission_id: int) -> Joined:
    """Delete the files of an old version, which count towards what your account may store.

    The bot cannot play as this version any more. The version as which it plays is refused.
    """
    line = _own(request, submission_id).line
    actions.delete_files(line.bot.id, line.id)
    return _shown(_own(request, submission_id))


@router.post("/submissions/{submission_id}/use", response=SubmissionDocument, **needs("bots"))
def use_submission(request: Request, submission_id: int) -> Joined:
    """Have your bot play new matches as this version.

    Its running matches go on as they are.
    """
    line = _own(request, submission_id).line
    if line.version_id is None:
        raise BadRequest(f"version {line.version!r} is not ready")
    actions.use_version(line.bot.id, line.version_id)
    return _shown(_own(request, submission_id))


def _own(request: Request, submission_id: int) -> SubmissionPage:
    """Return a submission of the caller. Raise `NotFound` for somebody else's."""
    page = queries.submission(submission_id)
    if page.line.bot.owner_id != caller(request).user_id:
        raise NotFound(f"there is no submission {submission_id}")
    return page


def _shown(page: SubmissionPage) -> Joined:
    return Joined(page.line, page)
