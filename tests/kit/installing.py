"""A wheel in its own environment, with the dependencies of the core install: nothing of the server, and no compiler."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

SERVER = "celery django msgspec numpy openskill prometheus_client redis scipy Cython"
BARE = f"""
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {SERVER.split()}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
"""


class Installed:
    """An environment with a wheel."""

    def __init__(self, wheel: Path, folder: Path) -> None:
        self._folder = folder
        venv.create(folder / "venv", with_pip=False)
        ours = sysconfig.get_path("purelib")
        (site,) = (folder / "venv").glob("lib/python*/site-packages")
        (site / "bare.py").write_text(BARE)
        (site / "zz_bare.pth").write_text(f"{ours}\nimport bare\n")  # the dependencies, which no test downloads
        self._run(Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--offline", "--no-deps", wheel)

    def run(self, command: str, *words: str) -> str:
        """Return the output of a command in the environment."""
        return self._run(self._folder / "venv" / "bin" / command, *words)

    def _run(self, *words: str | Path) -> str:
        inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        done = subprocess.run(
            [*map(str, words)],
            cwd=self._folder,
            env=inherited | {"VIRTUAL_ENV": str(self._folder / "venv"), "CC": "/bin/false"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
