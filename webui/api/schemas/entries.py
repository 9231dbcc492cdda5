"""Entries in events as the API shows them."""

from typing import Literal

from ninja import Schema
from pydantic import Field

EntryState = Literal["entered", "left", "checked in", "asked", "asked no more"]


class Entry(Schema):
    """What was done with the entry of a bot."""

    event: str = Field(description="Its slug.")
    bot: str = Field(description="Its slug.")
    state: EntryState
