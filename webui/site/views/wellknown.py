"""Fixed addresses for programs: the contact for security reports, and reports about the content policy."""

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
"""Maximum number of reports that are read from one request."""
REPORT_TYPES = ("application/csp-report", "application/reports+json", "application/json")


@require_safe
def security_txt(request: HttpRequest) -> HttpResponse:
    """Send security.txt (RFC 9116) with the contact for security reports. 404 if the operator has set none."""
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
    """Log what browsers have blocked because of the Content-Security-Policy. Unreadable and long reports are
    rejected.
    """
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
    """Return the address without its query, which may contain private data."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}{parts.path}" if parts.netloc else url.partition("?")[0]
