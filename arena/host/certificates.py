"""Certificates of servers (X.509 in PEM)."""

from __future__ import annotations

from datetime import datetime

# cryptography is imported where it is needed: loading it takes a tenth of the start of a bot, which mostly needs none.


def name_in(chain: bytes) -> str:
    """Return a host name of a chain's first certificate, or an IP address if it has no host name.

    Raises ValueError if it has neither.
    """
    from cryptography import x509

    certificate = x509.load_pem_x509_certificates(chain)[0]
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        raise ValueError("the certificate has no name (subjectAltName)") from None
    addresses = names.get_values_for_type(x509.DNSName) or [str(ip) for ip in names.get_values_for_type(x509.IPAddress)]
    if not addresses:
        raise ValueError("the certificate has neither a host name nor an address (subjectAltName)")
    return addresses[0]


def expires_at(chain: bytes) -> datetime:
    """Return the time at which the first certificate of a chain expires. Raises ValueError if there is none."""
    from cryptography import x509

    return x509.load_pem_x509_certificates(chain)[0].not_valid_after_utc
