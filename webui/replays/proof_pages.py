"""Pages for verification: the proof of a match, the keys that sign records, and the log of offers."""

from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.views.decorators.http import require_safe

from arena.host.signing import keys_document
from webui.matches import queries as match_queries
from webui.replays.pages import visible_match
from webui.replays.proof import NoProof, proof_of_match

OFFERS_A_PAGE: Final = 500
LAST_OFFER: Final = 2**31 - 1
"""Largest number that the database can compare with."""


@require_safe
def proof(request: HttpRequest, match_id: str) -> HttpResponse:
    """Return the proof of a match as JSON. Raise `Http404` before the end of the match."""
    line = visible_match(match_id, request).line
    try:
        found = proof_of_match(line.id)
    except NoProof as error:
        raise Http404("no proof before the end of the match") from error
    return JsonResponse(found)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """Return the public keys that sign records or have signed some, at the well-known address of RFC 8615."""
    return JsonResponse(keys_document(match_queries.signing_keys()))


@require_safe
def offers(request: HttpRequest) -> HttpResponse:
    """Return a page of the log of offers, one entry a line, starting after entry `after`.

    The page after the last entry is empty. A full page can change only if some of its entries are hidden.
    """
    after = request.GET.get("after", "0")
    if not after.isascii() or not after.isdecimal() or int(after[:12]) > LAST_OFFER:
        return HttpResponseBadRequest("after: the number of your last entry, or 0", content_type="text/plain")
    lines = match_queries.offers(int(after), OFFERS_A_PAGE)
    response = HttpResponse(
        "".join(f"{line.text}\n" for line in lines), content_type="application/jsonl; charset=utf-8"
    )
    is_final = len(lines) == OFFERS_A_PAGE and not any(line.is_hidden for line in lines)
    response["Cache-Control"] = "public, max-age=86400" if is_final else "no-cache"
    return response
