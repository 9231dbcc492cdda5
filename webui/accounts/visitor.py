"""What belongs to the visitor who is signed in."""

from django.http import HttpRequest


def user_id(request: HttpRequest) -> int:
    """The id of the visitor, behind `login_required`."""
    assert request.user.pk is not None
    return int(request.user.pk)
