"""TLS of the gateway's port: a certificate that can be renewed while the gateway runs."""

from __future__ import annotations

import ssl
import threading
from pathlib import Path

import grpc
import structlog

log = structlog.get_logger(__name__)


class Certificate:
    """A certificate chain and its key (PEM). When a file changes, new connections use the new pair."""

    def __init__(self, chain: Path, key: Path) -> None:
        """Raises OSError (including `ssl.SSLError`) if the files are not such a pair."""
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
                    return None
                self._current = self._read()
            except OSError as error:
                # Two files cannot be replaced at once; the next handshake tries again.
                log.warning("certificate_not_read", error=str(error))
                return None
            self._read_at = times
        log.info("certificate_renewed", chain=str(self._chain))
        return self._current

    def _read(self) -> grpc.ServerCertificateConfiguration:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._chain, self._key)  # do they match?
        return grpc.ssl_server_certificate_configuration([(self._key.read_bytes(), self._chain.read_bytes())])

    def _times(self) -> tuple[int, int]:
        return self._chain.stat().st_mtime_ns, self._key.stat().st_mtime_ns
