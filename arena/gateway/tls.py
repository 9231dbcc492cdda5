"""TLS of the gateway's port: a certificate that can be renewed while the gateway runs."""

from __future__ import annotations

import ssl
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import grpc
import structlog

from arena.gateway import metrics
from arena.host.certificates import expires_at

log = structlog.get_logger(__name__)

EXPIRES_SOON: Final = timedelta(days=14)
"""Remaining validity below which the log warns, once a day while somebody connects."""
WARN_EVERY: Final = timedelta(days=1)


class Certificate:
    """A certificate chain and its key (PEM). When a file changes, new connections use the new pair."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Raises OSError (including `ssl.SSLError`) if the files are not such a pair, and ValueError if the
        certificate cannot be decoded. An expired pair is used."""
        self._chain = chain
        self._key = key
        self._lock = threading.Lock()
        self._read_at = self._times()
        self._current = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials for `add_secure_port`."""
        return grpc.dynamic_ssl_server_credentials(self._current, self._renewed)  # type: ignore[arg-type]  # None: unchanged

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new pair if it has changed. gRPC calls this for every handshake, on its own thread."""
        with self._lock:
            try:
                times = self._times()
                if times == self._read_at:
                    self._warn()
                    return None
                self._current = self._read()
            except (OSError, ValueError) as error:
                # Two files cannot be replaced at once; the next handshake tries again.
                log.warning("certificate_not_read", error=str(error))
                return None
            self._read_at = times
        log.info("certificate_renewed", chain=str(self._chain))
        return self._current

    def _read(self) -> grpc.ServerCertificateConfiguration:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._chain, self._key)  # do they match?
        chain = self._chain.read_bytes()
        self._expires_at = expires_at(chain)
        metrics.CERTIFICATE_EXPIRES.set(self._expires_at.timestamp())
        self._warned_at = datetime.min.replace(tzinfo=UTC)
        self._warn()
        return grpc.ssl_server_certificate_configuration([(self._key.read_bytes(), chain)])

    def _warn(self) -> None:
        """Log that the certificate has expired, or does so soon."""
        now = datetime.now(UTC)
        if self._expires_at - now > EXPIRES_SOON or now - self._warned_at < WARN_EVERY:
            return
        self._warned_at = now
        when = self._expires_at.isoformat()
        if self._expires_at <= now:
            log.error("certificate_has_expired", chain=str(self._chain), at=when)
        else:
            log.warning("certificate_expires_soon", chain=str(self._chain), at=when)

    def _times(self) -> tuple[int, int]:
        return self._chain.stat().st_mtime_ns, self._key.stat().st_mtime_ns
