"""What a browser needs to verify a match, and the keys with which its record is signed."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from arena.host.signing import keys_document
from webui.ladder import queries
from webui.site.replay.proof import NoProof, proof_of_match


@require_safe
def proof(request: HttpRequest, match_id: str) -> HttpResponse:
    """The proof of a match that has ended. Nothing before the end."""
    try:
        found = proof_of_match(match_id)
    except NoProof as error:
        raise Http404("no proof before the end of the match") from error
    return JsonResponse(found)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """The public keys that sign records, or have: RFC 8615 gives them their place."""
    return JsonResponse(keys_document(queries.signing_keys()))
