"""Private keys in files: made once, readable only by their user, and refused if they are anything else."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.host.signing import SignatureError, Signer, SigningKeyError, check_signature, key_id

# RFC 8032, section 7.1, test 2.
SECRET = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
SIGNATURE = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)


def test_signatures_are_those_of_the_standard() -> None:
    signer = Signer.of_text(SECRET)
    assert signer.public_key.hex() == PUBLIC
    assert signer.sign(b"\x72") == {"key": key_id(bytes.fromhex(PUBLIC)), "ed25519": SIGNATURE}
    assert check_signature(b"\x72", signer.sign(b"\x72"), {key_id(signer.public_key): signer.public_key})
    with pytest.raises(SignatureError, match="does not hold"):
        check_signature(b"\x73", signer.sign(b"\x72"), {key_id(signer.public_key): signer.public_key})


def test_a_key_is_made_once_however_many_start_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "signing-key"
    with ThreadPoolExecutor(8) as pool:
        keys = {signer.public_key for signer in pool.map(Signer.of_file, [path] * 8)}
    assert len(keys) == 1
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [*path.parent.iterdir()] == [path]


@pytest.mark.parametrize("text", ["", "rubbish", SECRET[2:], SECRET + "00"])
def test_a_key_that_cannot_be_used_is_named_with_what_to_do(text: str, tmp_path: Path) -> None:
    with pytest.raises(SigningKeyError, match="openssl rand -hex 32"):
        Signer.of_text(text)
    path = tmp_path / "signing-key"
    path.write_text(text)
    with pytest.raises(SigningKeyError, match=r"signing-key: .*openssl rand"):
        Signer.of_file(path)
