"""The roles of PostgreSQL allow what gateways and the site do, and hide what they need not see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import ProgrammingError, connection, transaction

from arena.hosting.faults import HostingFault
from arena.hosting.messages import RunnerFacts
from tests.hosting_site.authors import FACTS, Author
from tests.hosting_site.test_submissions import report
from tests.kit.databases import POSTGRES_ONLY
from tests.kit.ladder import Kit
from webui.core.roles import set_up_gateway_role, set_up_site_role
from webui.hosting import actions, jobs, queries, seats
from webui.hosting.models import HostedVersion, Runner

pytestmark = pytest.mark.django_db
DATABASES = [POSTGRES_ONLY]


@contextmanager
def role(name: str) -> Iterator[None]:
    """Use the database with this role."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {name}")
        try:
            yield
        finally:
            cursor.execute("RESET ROLE")


def test_the_site_hands_in_and_the_gateway_does_the_rest(author: Author, kit: Kit) -> None:
    set_up_site_role("postgresql://arena_hosting_site:sirocco7dunes@anywhere/arena")
    set_up_gateway_role("postgresql://arena_hosting_gateway:sirocco7dunes@anywhere/arena")
    token = actions.register_runner("north")
    for version in ("v1", "v2"):
        with role("arena_hosting_site"):
            made = author.submit(version, f"print({version!r})")
        with role("arena_hosting_gateway"):
            runner = queries.runner_of_token(token)
            assert runner is not None
            actions.note_runner(runner, RunnerFacts(cores=2))
            job = jobs.take_job(runner)
            assert job is not None
            jobs.append_log(job.id, job.epoch, 0, "building\n")
            image = author.bundle(f"print('built {version}')")
            jobs.store_image(job.id, job.epoch, image.sha256, image.packed)
            jobs.finish_build(job.id, job.epoch, image.sha256)
            jobs.finish_examination(job.id, job.epoch, FACTS)
            assert [one.version_name for one in queries.hosted_versions()] == [version]
    first = HostedVersion.objects.order_by("pk")[0].pk
    match_id = kit.match([first, kit.version()])
    with role("arena_hosting_gateway"):
        seats.record_seat(runner, report(match_id, first))
    with role("arena_hosting_site"):
        actions.use_version(author.bot, first)
        assert queries.seats_of_owner(match_id, author.user) and queries.runners()
        assert queries.submission(made.id).log == "building\n"
        made = author.submit("v3")
        assert actions.withdraw_submission(author.bot, made.id)
        with pytest.raises(ProgrammingError), transaction.atomic():
            list(Runner.objects.values_list("digest"))
        author.submit("v4")
    with role("arena_hosting_gateway"):
        job = jobs.take_job(runner)
        assert job is not None
        jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "no")
        assert jobs.take_job(runner) is None
