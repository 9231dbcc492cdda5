"""Bundles of what authors upload: one file, an archive, or the files of a form."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django.core.files.uploadhandler import FileUploadHandler
from django.http.multipartparser import MultiPartParser, MultiPartParserError

from arena.hosting.archives import BundleError
from arena.hosting.bundle import Bundle, PackedWeights, pack, pack_weights
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.manifest import ManifestError
from webui.core.errors import BadRequest
from webui.core.uploads import NoRoom, make_folder


@contextmanager
def bundle_of(body: Path, name: str, limits: HostingLimits = DEFAULT_LIMITS) -> Iterator[Bundle]:
    """Return the bundle of a file, a zip or a tar that an author calls `name`, as a context.

    Raise `BadRequest`, with lines that say what to do.
    """
    try:
        with tempfile.TemporaryDirectory(dir=make_folder(), prefix="pack-") as folder:
            yield pack(body, name, Path(folder) / "bundle", limits)
    except ManifestError as error:
        raise BadRequest("\n".join(error.problems)) from None
    except BundleError as error:
        raise BadRequest(str(error)) from None
    except OSError as error:
        raise NoRoom(f"the upload cannot be read now: {error.strerror}") from None


@contextmanager
def weights_in(body: Path, limits: HostingLimits = DEFAULT_LIMITS) -> Iterator[PackedWeights]:
    """Return the weights in a zip or a tar, as a context. Raise `BadRequest`, with a line that says what to do."""
    try:
        with tempfile.TemporaryDirectory(dir=make_folder(), prefix="pack-") as folder:
            yield pack_weights(body, Path(folder) / "weights", limits)
    except BundleError as error:
        raise BadRequest(str(error)) from None
    except OSError as error:
        raise NoRoom(f"the upload cannot be read now: {error.strerror}") from None


@contextmanager
def form_of(body: Path, content_type: str) -> Iterator[tuple[dict[str, str], Path | None, str]]:
    """Return the fields of a form, the one file or the tar of all its files, and that file's name, as a context.

    Folders keep their paths, which Django would drop. There is no file if none was chosen. Raise `BadRequest` for a
    body that is no form.
    """
    with tempfile.TemporaryDirectory(dir=make_folder(), prefix="form-") as folder, body.open("rb") as stream:
        files = _FormFiles(Path(folder))
        meta = {"CONTENT_TYPE": content_type, "CONTENT_LENGTH": str(body.stat().st_size)}
        try:
            fields, _ = _Parser(meta, stream, [files]).parse()
        except MultiPartParserError as error:
            raise BadRequest(f"the form cannot be read: {error}") from None
        named = {key: str(fields[key]) for key in fields}
        match files.found:
            case []:
                yield named, None, ""
            case [(name, path)] if "/" not in name:
                yield named, path, name
            case found:
                yield named, _tar(found, Path(folder) / "all.tar"), "folder.tar"


class _Parser(MultiPartParser):
    """Django's parser of forms, which keeps the paths of files."""

    def sanitize_file_name(self, file_name: str) -> str | None:
        """Return the name as it is: `pack` refuses those that lead out of a folder."""
        return file_name or None


class _FormFiles(FileUploadHandler):
    """Writes the files of a form to files with numbers for names."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, Path]] = []
        self._folder = folder
        self._file: IO[bytes] | None = None

    def new_file(self, field_name: str, file_name: str, *args: Any, **kwargs: Any) -> None:
        """Begin a file."""
        path = self._folder / str(len(self.found))
        self.found.append((file_name, path))
        self._file = path.open("wb")

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        """Write a part of the file."""
        assert self._file is not None
        self._file.write(raw_data)

    def file_complete(self, file_size: int) -> None:
        """End the file."""
        assert self._file is not None
        self._file.close()


def _tar(files: list[tuple[str, Path]], target: Path) -> Path:
    """Return a tar of the files. Their names are written as they are, and checked by `pack`."""
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, path in files:
            member = tarfile.TarInfo(name)
            member.size = path.stat().st_size
            with path.open("rb") as content:
                tar.addfile(member, content)
    return target
