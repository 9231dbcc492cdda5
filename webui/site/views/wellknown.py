"""Fixed addresses for programs: whom to tell of a fault, and where browsers report what the policy stopped."""

import json
from urllib.parse import urlsplit

import structlog
from allauth.decorators import rate_limit
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

log = structlog.get_logger(__name__)

MOST_BYTES = 16_384
MOST_REPORTS = 10
"""Of one request that are looked at."""
REPORT_TYPES = ("application/csp-report", "application/reports+json", "application/json")


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """RFC 9116: whom to tell of a fault in the arena's security. 404 where the operator has not said it."""
    if not settings.SECURITY_CONTACT:
        raise Http404("no contact is named")
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {settings.SECURITY_EXPIRES}",
        "Preferred-Languages: en, es, fr, ru",
        f"Canonical: {request.build_absolute_uri(reverse('security-txt'))}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@csrf_exempt
@require_POST
@rate_limit(action="csp_report")
def csp_reports(request: HttpRequest) -> HttpResponse:
    """What a browser was stopped from by the Content-Security-Policy: logged, where it can be read and is short."""
    if int(request.headers.get("Content-Length") or 0) > MOST_BYTES:
        return HttpResponse(status=413)
    if request.content_type not in REPORT_TYPES:
        return HttpResponse(status=415)
    try:
        document = json.loads(request.read(MOST_BYTES + 1))
    except (ValueError, RecursionError):
        return HttpResponse(status=400)
    for report in (document if isinstance(document, list) else [document])[:MOST_REPORTS]:
        body = report.get("body") or report.get("csp-report") if isinstance(report, dict) else None
        if isinstance(body, dict):
            log.warning(
                "csp_violation",
                directive=_short(body, "effectiveDirective", "effective-directive", "violated-directive"),
                blocked=_address(_short(body, "blockedURL", "blocked-uri")),
                page=_address(_short(body, "documentURL", "document-uri")),
            )
    return HttpResponse(status=204)


def _short(body: dict[str, object], *keys: str) -> str:
    return next((str(body[key])[:200] for key in keys if body.get(key)), "")


def _address(url: str) -> str:
    """Without its query, which may hold what is nobody's business."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.netloc else url.partition("?")[0]
