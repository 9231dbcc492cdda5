"""Schemas for hosted bots: what the API returns and accepts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from ninja import Schema
from pydantic import Field

from webui.api.lists import Page, PageQuery
from webui.api.schemas import LOWER, OR_NULL, Input, Name, SlugOf, ValueView, source
from webui.bots.actions import LONGEST_NOTE

State = Literal["uploaded", "building", "examining", "ready", "failed", "withdrawn"]


class SubmissionQuery(Schema):
    """Facts about the file that the request has as its body."""

    version: Name | None = Field(None, description="Name of the version. Null: `v1`, `v2` and so on.")
    note: str = Field("", max_length=LONGEST_NOTE, description="What is new in it. Everybody can read it.")
    file: str = Field(
        "bot.tar.gz",
        min_length=1,
        max_length=200,
        description="Name of the file. A zip or a tar has the bot's folder in it; any other file is the whole bot.",
    )


class Publication(Input):
    """How a source is published."""

    licence: str = Field(max_length=40, description="SPDX identifier of one of the licences that the arena offers.")


class SubmissionSummary(ValueView):
    """A version that was handed in, in a list."""

    id: int
    bot: SlugOf = Field(description="Its slug.")
    version: str
    note: str
    state: Annotated[State, LOWER] = Field(
        description="`uploaded`: it waits for a runner. `ready`: the bot can play as this version."
    )
    created_at: datetime
    ended_at: datetime | None
    size: int = Field(description="Bytes of its files, packed. 0: they are not kept any more.")
    unpacked_bytes: int
    files: int = Field(description="Number of its files.")
    fault: Annotated[str | None, OR_NULL] = Field(description="Code of the fault, if it failed.")
    fault_text: Annotated[str | None, OR_NULL] = Field(description="The fault in words, with what to do.")
    lock_reason: Annotated[str | None, OR_NULL] = Field(
        description="Why the people who run the arena have locked it: it gets no new matches. Null: it is not locked."
    )
    withdraw_reason: Annotated[str | None, OR_NULL] = Field(
        description="Why the people who run the arena have withdrawn it. Null: they have not."
    )
    current: bool = source("is_current", "The bot plays new matches as this version.")
    licence: Annotated[str | None, OR_NULL] = Field(
        description="SPDX identifier of the licence under which its source is published. Null: it is not published."
    )
    usable: bool = source("can_be_used", "The bot does not play as this version, and can.")


class Submissions(Page[SubmissionSummary]):
    """Versions of a bot that were handed in, newest first."""


class WeightsQuery(PageQuery):
    """The weights to list."""

    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = Field(
        None, description="Only the weights with this hash."
    )


class WeightsDocument(ValueView):
    """Weights of yours: large files that versions of your bots share."""

    id: int
    sha256: str = Field(description="SHA-256 of the canonical tar of their files.")
    size: int = Field(description="Bytes of its files, packed.")
    unpacked_bytes: int
    files: int = Field(description="Number of its files.")


class WeightsPage(Page[WeightsDocument]):
    """Weights of yours, newest first."""


class RuntimeDocument(ValueView):
    """What versions that were handed in find at a runner."""

    machine: str = Field(description="Kind of processor, such as `x86_64`.")
    processor: str
    system: str = Field(description="Name and version of the operating system.")
    python: str = Field(description="Version of `python3`, such as `3.11`. Wheels are made for one.")
    libc: str = Field(description="Version of the GNU C library, such as `2.36`. Empty if there is another one.")
    tools: dict[str, str] = Field(description="Interpreters and compilers, and what each says of its version.")
    packages: dict[str, str] = Field(description="Python packages that are there, with their versions.")


class Runtimes(Page[RuntimeDocument]):
    """The runtimes of the runners that are connected now, each once."""


class SourceDocument(ValueView):
    """The published source of a version."""

    version: str
    licence: str = Field(description="SPDX identifier.")
    published_at: datetime
    sha256: str = Field(description="SHA-256 of the uncompressed tar, in hex.")
    size: int = Field(description="Bytes of the archive.")
    files: int = Field(description="Number of its files.")
    url: str = Field(description="Page with its files.")
    archive: str = Field(description="Address of the archive, a tar compressed by gzip.")


class Sources(ValueView):
    """Published sources of a bot, newest version first."""

    items: list[SourceDocument]


class SubmissionDocument(SubmissionSummary):
    """A version that was handed in."""

    log: str = Field(description="Log of the build and the examination: at most 64 KB, without its middle.")
    before: int = Field(description="Number of versions that wait for a runner and were handed in earlier.")
