"""The files of deploy/ agree with the code, and with each other."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import pytest

from arena import _native
from arena.host.places import Places
from tests.deploy.compose import (
    DEPLOY,
    ROOT,
    SECRETS_FILE,
    SETTINGS_FILE,
    VARIABLE,
    image_environment,
    image_stage,
    our_services,
    read_compose,
    secrets_set,
    settings_explained,
    settings_set,
)
from tests.kit.command import arena_here

OF_THE_DESKTOP = {"DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"}
"""`arena up` uses these to find a browser and a place for a socket; nobody sets them for an arena."""
OF_LIBRARIES = {"OPENBLAS_NUM_THREADS", "GRPC_ENABLE_FORK_SUPPORT"}
"""Variables that the arena sets for a library, unless they are set already."""
OF_BOTS = {"ARENA_PROCESS", "ARENA_API_TOKEN", "GRPC_VERBOSITY"}
"""Variables that a bot's author may set."""

DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
RUNBOOK = (DEPLOY / "RUNBOOK.md").read_text()


def names_read(source: str) -> Iterator[str]:
    """Yield the environment variables that a module reads or sets.

    They are found in uses of `os.environ` and in options of commands. Elsewhere every word that looks like one of our
    names counts, because helpers may be in between.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text)) if re.fullmatch(r"ARENA_[A-Z_]+|DATABASE_URL|REDIS_URL", text):
                yield text
            case ast.keyword(arg="envvar", value=ast.Constant(value=str(text))):
                yield text
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(text))):
                yield text
            case ast.Call(func=ast.Name("getenv") | ast.Attribute(attr="getenv"), args=[ast.Constant(text), *_]):
                yield str(text)
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="environ") | ast.Name("environ")),
                args=[ast.Constant(value=str(text)), *_],
            ):
                yield text


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("os.environ['A']", ["A"]),
        ("os.environ.get('A', 'b')", ["A"]),
        ("environ.setdefault('A', 'b')", ["A"]),
        ("os.getenv('A')", ["A"]),
        ("typer.Option(envvar='A')", ["A"]),
        ("_is_set('ARENA_DEBUG')", ["ARENA_DEBUG"]),
        ("log.info('A')", []),
    ],
)
def test_variables_are_seen(source: str, names: list[str]) -> None:
    assert list(names_read(source)) == names


@pytest.mark.slow
def test_every_setting_is_explained_and_no_other() -> None:
    files = [ROOT / "setup.py"]
    files += [path for part in ("arena", "webui", "workers") for path in (ROOT / part).rglob("*.py")]
    read = {name for path in files for name in names_read(path.read_text())} - OF_THE_DESKTOP - OF_LIBRARIES - OF_BOTS
    read |= {name for file in DEPLOY.glob("*.yaml") for name in VARIABLE.findall(file.read_text())}
    assert set(settings_explained()) == read
    assert not settings_set().keys() & secrets_set().keys()
    assert set(settings_set()) <= read


def test_an_explanation_stands_above_every_setting() -> None:
    lines = SETTINGS_FILE.read_text().splitlines() + SECRETS_FILE.read_text().splitlines()
    for above, line in pairwise(lines):
        if re.match(r"(# )?[A-Z_]+=", line):
            assert above.startswith("# ") or re.match(r"(# )?ARENA_TLS_", above), line


def test_the_table_of_the_settings_module_is_true() -> None:
    """The table of webui/settings lists exactly the variables that it reads."""
    modules = {path.name: path.read_text() for path in (ROOT / "webui/settings").glob("*.py")}
    listed = set(re.findall(r"^([A-Z_]+) {2,}\S", modules["__init__.py"].split('"""')[1], re.MULTILINE))
    places = (ROOT / "arena/host/places.py").read_text()
    read = {*names_read("".join(modules.values())), *names_read(places)} - OF_THE_DESKTOP - OF_LIBRARIES
    assert listed == read


def test_the_image_is_built_as_the_checkout_is() -> None:
    makefile = (ROOT / "Makefile").read_text()
    wanted = re.search(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert wanted and f"uv=={wanted[1]}" in DOCKERFILE
    stages = re.findall(r"^FROM (\S+)", DOCKERFILE, re.MULTILINE)
    assert stages == ["${PYTHON}", "${GO}", "base", "base", "arena", "arena"]


def test_the_image_takes_the_packages_of_a_moment(tmp_path: Path) -> None:
    """Run the command of the Dockerfile on Debian's list of sources as the base image has it."""
    joined = DOCKERFILE.replace("\\\n", "")
    (command,) = re.findall(r'^RUN (if \[ -n "\$SNAPSHOT" \].*; +fi)$', joined, re.MULTILINE)
    sources, options = tmp_path / "debian.sources", tmp_path / "snapshot"
    lines = [
        *(
            "Types: deb",
            "URIs: http://deb.debian.org/debian",
            "Suites: bookworm bookworm-updates",
            "Components: main",
            "",
        ),
        *(
            "Types: deb",
            "URIs: http://deb.debian.org/debian-security",
            "Suites: bookworm-security",
            "Components: main",
            "",
        ),
    ]
    sources.write_text("\n".join(lines))
    for place, ours in (("/etc/apt/sources.list.d/debian.sources", sources), ("/etc/apt/apt.conf.d/snapshot", options)):
        assert place in command
        command = command.replace(place, str(ours))
    subprocess.run(["sh", "-euc", command], env={"PATH": os.environ["PATH"], "SNAPSHOT": ""}, check=True)
    assert sources.read_text() == "\n".join(lines) and not options.exists()
    moment = "20261101T000000Z"
    subprocess.run(["sh", "-euc", command], env={"PATH": os.environ["PATH"], "SNAPSHOT": moment}, check=True)
    there = re.findall("^URIs: (.*)$", sources.read_text(), re.MULTILINE)
    archive = "http://snapshot.debian.org/archive"
    assert there == [f"{archive}/debian/{moment}", f"{archive}/debian-security/{moment}"]
    # packages that were valid then are not valid now
    assert options.read_text() == 'Acquire::Check-Valid-Until "false";\n'


def test_the_image_runs_as_nobody_special_and_says_how_it_is() -> None:
    last = image_stage("arena")
    assert DOCKERFILE.endswith("\nFROM arena\n")  # what is built if nobody names another stage
    assert re.findall(r"^USER (\S+)$", last, re.MULTILINE) == ["10001"]
    assert last.index("\nUSER ") < last.index("\nCMD ")
    assert re.search(r"^HEALTHCHECK .* CMD \[", last, re.MULTILINE)
    assert image_environment()["DJANGO_SETTINGS_MODULE"] == "webui.settings"


def test_the_services_are_all_that_an_arena_needs() -> None:
    services = read_compose()["services"]
    assert set(services) == {
        *("postgres", "redis", "migrate", "web", "gateway-1", "gateway-2", "referee", "upkeep", "runner"),
    }
    redis = services["redis"]["command"]
    assert redis[redis.index("--appendonly") + 1] == "yes"
    for name, service in services.items():
        assert "test" in service["healthcheck"] or name == "migrate", name
        assert service["restart"] == ("no" if name == "migrate" else "unless-stopped")


def test_a_container_has_the_secrets_that_it_needs_and_no_others() -> None:
    needed = {
        "migrate": {"POSTGRES_PASSWORD", "POSTGRES_GATEWAY_PASSWORD", "POSTGRES_SITE_PASSWORD"},
        "web": {
            "POSTGRES_SITE_PASSWORD",
            "REDIS_SITE_PASSWORD",
            "ARENA_SECRET_KEY",
            "ARENA_FORMER_SECRET_KEYS",
            "ARENA_EMAIL_URL",
        },
        "gateway-1": {"POSTGRES_GATEWAY_PASSWORD", "REDIS_PASSWORD"},
        "gateway-2": {"POSTGRES_GATEWAY_PASSWORD", "REDIS_PASSWORD"},
        "referee": {"POSTGRES_PASSWORD", "REDIS_PASSWORD", "ARENA_SIGNING_KEY"},
        "upkeep": {
            "POSTGRES_PASSWORD",
            "REDIS_PASSWORD",
            "ARENA_SIGNING_KEY",
            "ARENA_SECRET_KEY",
            "ARENA_FORMER_SECRET_KEYS",
            "ARENA_EMAIL_URL",
        },
    }
    given = {name: set(VARIABLE.findall(str(service["environment"]))) for name, service in our_services().items()}
    assert given == needed
    assert {service["env_file"] for service in our_services().values()} == {"arena.env"}
    assert not set(re.findall(r"^(?:# )?([A-Z_]+)=", SETTINGS_FILE.read_text(), re.MULTILINE)) & secrets_set().keys()


def test_bots_of_other_machines_talk_with_tls() -> None:
    over = read_compose("compose.tls.yaml")["services"]
    gateways = {name: service for name, service in our_services().items() if name.startswith("gateway")}
    assert over.keys() == gateways.keys()
    for name, service in gateways.items():
        (port,) = service["ports"]
        assert port.startswith("127.0.0.1:") and over[name]["ports"] == [port.removeprefix("127.0.0.1:")]
        (volume,) = over[name]["volumes"]
        place = volume.split(":")[-2]
        files = {over[name]["environment"][variable] for variable in ("ARENA_TLS_CERT", "ARENA_TLS_KEY")}
        assert files == {f"{place}/fullchain.pem", f"{place}/privkey.pem"}
        assert over[name]["environment"]["ARENA_CLEAR_TEXT"] == "0"


def test_somebody_works_on_every_queue() -> None:
    from webui.matches import dispatching
    from workers.app import app

    queues = {app.conf.task_default_queue, dispatching.QUEUE}
    commands = [service["command"] for service in our_services().values()]
    served = {command[command.index("-Q") + 1] for command in commands if "-Q" in command}
    assert served == queues


def test_the_runbook_tells_of_every_service() -> None:
    for name in read_compose()["services"]:
        assert f"`{name.removesuffix('-1').removesuffix('-2')}" in RUNBOOK, name


def test_the_commands_of_the_runbook_exist() -> None:
    from typer.main import get_command

    from webui.commands.admin import app

    known: list[str] = getattr(get_command(app), "list_commands")(None)  # noqa: B009 - a group, which the type leaves open
    named = set(re.findall(r"arena admin ([a-z-]+)", RUNBOOK))
    assert named and named <= set(known)
    for command in sorted({*re.findall(r"(?<=bin/)arena (?:admin )?[a-z-]+|arena (?:user|ratings) [a-z]+", RUNBOOK)}):
        assert arena_here(*command.split()[1:], "--help").code == 0, command
    targets = set(re.findall(r"make (?:-C \S+ )?([a-z]+)", RUNBOOK))
    assert targets and targets <= set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for module in re.findall(r"python -m\s+([a-z_.]+)", RUNBOOK):
        assert find_spec(module), module


def test_the_settings_that_the_runbook_names_exist() -> None:
    named = set(re.findall(r"\b(?:ARENA|POSTGRES|REDIS|DATABASE)_[A-Z_]+", RUNBOOK))
    assert named and named <= settings_explained().keys()


def test_folders_that_processes_write_are_mounted() -> None:
    """The root of a container is read-only, and a volume takes its owner from the folder in the image."""
    assert Places.__doc__ is not None
    writers = {"the site": "web", "the upkeep process": "upkeep", "referees": "referee"}
    rows = re.findall(r"^ *\| `(\w+)` \| ([^:;,|]+?)(?:[:;] [^|]*)? \|", Places.__doc__, re.MULTILINE)
    assert {writer for _, writer in rows} >= writers.keys()
    for folder, writer in rows:
        if writer in writers:
            assert f"{folder}:/var/lib/arena/{folder}" in our_services()[writers[writer]]["volumes"]
            assert re.search(rf"install --directory .*/var/lib/arena/{folder}\b", image_stage("arena"))


def test_the_image_checks_that_its_rules_are_compiled() -> None:
    """The command knows both forms of the rules, and fails if the plain one is requested."""
    (code,) = re.findall(r'^RUN bin/python -c "(.*)"$', DOCKERFILE, re.MULTILINE)
    form = _native.form()
    here = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert here.returncode == (0 if form == "compiled" else 1), here.stderr
    pure = {**os.environ, "ARENA_PURE": "1"}
    plain = subprocess.run([sys.executable, "-c", code], env=pure, capture_output=True, text=True, check=False)
    assert plain.stderr.rstrip().endswith("AssertionError: pure")


TOOLS = {
    "README.md", "editor.mjs", "eslint.config.js", "make_fonts.sh", "package.json", "package-lock.json",
    "released.json", "tsconfig.json",
}  # fmt: skip
"""Files that only authors of the site need, in addition to types and catalogues before they are compiled."""


def test_what_the_site_reads_is_in_its_package() -> None:
    """An image installs the package, and has nothing else of the checkout."""
    site = ROOT / "webui"
    data = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    folders = {name: ROOT.joinpath(*name.split(".")) for name in data if name.split(".")[0] == "webui"}
    packed = {path for name, folder in folders.items() for pattern in data[name] for path in folder.glob(pattern)}
    listed = subprocess.run(["git", "ls-files", "-z", site], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [ROOT / name for name in listed.stdout.split("\0") if name and not name.endswith((".py", ".po", ".d.ts"))]
    assert len(files) > 200
    assert [str(path.relative_to(site)) for path in files if path not in packed and path.name not in TOOLS] == []
