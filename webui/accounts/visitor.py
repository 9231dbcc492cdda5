"""Helper for views of visitors who are signed in."""

from django.http import HttpRequest


def user_id(request: HttpRequest) -> int:
    """Return the id of the visitor. The view must have `login_required`."""
    assert request.user.pk is not None
    return int(request.user.pk)
