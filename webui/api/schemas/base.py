"""What all schemas share."""

from ninja import Schema
from pydantic import ConfigDict


class Input(Schema):
    """What a caller sends: a field that is not known is refused, since it would do nothing."""

    model_config = ConfigDict(extra="forbid")
