"""Entries in events as the API shows them."""

from typing import Literal

from ninja import Schema
from pydantic import Field

VERSION_FIXED = "False: bots still enter, and the version is the one that would play if the event started now."
EntryState = Literal["entered", "left", "checked in", "asked", "asked no more"]


class Entry(Schema):
    """What was done with the entry of a bot."""

    event: str = Field(description="Its slug.")
    bot: str = Field(description="Its slug.")
    state: EntryState
    version: str | None = Field(description="That plays, or would play if it started now; null: not in it.")
    version_fixed: bool = Field(description=VERSION_FIXED)
