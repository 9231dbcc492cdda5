"""The bot that `arena bot run` loads, and the errors if there is none."""

import importlib
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
import typer
from typer.testing import CliRunner

from arena.bots import Bot, Refused
from arena.bots.client import release_version
from arena.bots.house_bots import house_bot
from arena.bots.loading import version_of
from arena.cli.bot import app, load_bot
from arena.players import PLAYERS

ONE = "from arena.bots import Bot\nclass One(Bot):\n    def choose(self, view, legal):\n        return legal[0]\n"
TWO = ONE + "class Two(One):\n    version = '2'\n"


def bot_file(folder: Path, text: str) -> str:
    """Write a bot's file."""
    file = folder / "mine.py"
    file.write_text(text)
    return str(file)


def test_the_only_bot_of_a_file(tmp_path: Path) -> None:
    bot = load_bot(bot_file(tmp_path, ONE))
    assert bot.__name__ == "One"
    assert issubclass(bot, Bot)


def test_one_of_several_is_named(tmp_path: Path) -> None:
    file = bot_file(tmp_path, TWO)
    assert load_bot(f"{file}:Two").__name__ == "Two"
    with pytest.raises(typer.BadParameter, match=r"several bots \(One, Two\)"):
        load_bot(file)
    with pytest.raises(typer.BadParameter, match="no bot Three"):
        load_bot(f"{file}:Three")


@pytest.mark.parametrize(("text", "why"), [("x = 1\n", "no bot"), (None, "no file")])
def test_no_bot(tmp_path: Path, text: str | None, why: str) -> None:
    file = bot_file(tmp_path, text) if text else str(tmp_path / "absent.py")
    with pytest.raises(typer.BadParameter, match=why):
        load_bot(file)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (ONE + "1 +\n", "SyntaxError"),
        ("import absent_module\n" + ONE, "No module named 'absent_module'"),
        (ONE + "def load():\n    return {}['weights']\nload()\n", "in load\n"),
    ],
)
def test_a_file_that_fails_shows_where_and_nothing_of_ours(
    tmp_path: Path, text: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.BadParameter, match="cannot be loaded"):
        load_bot(bot_file(tmp_path, text))
    told = capsys.readouterr().err
    assert shown in told and str(tmp_path / "mine.py") in told
    assert "importlib" not in told and "loading.py" not in told


def test_a_bot_without_choose(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="Mute has no method choose"):
        load_bot(bot_file(tmp_path, "from arena.bots import Bot\nclass Mute(Bot):\n    version = '1'\n"))


def test_a_changed_file_is_a_new_version_unless_the_bot_says_its_own(tmp_path: Path) -> None:
    one = version_of(load_bot(bot_file(tmp_path, ONE)))
    assert one == version_of(load_bot(bot_file(tmp_path, ONE)))
    assert one != version_of(load_bot(bot_file(tmp_path, ONE + "# better\n")))
    assert version_of(load_bot(bot_file(tmp_path, TWO) + ":Two")) == "2"


def test_a_changed_helper_is_a_new_version(tmp_path: Path) -> None:
    """Files that are never imported do not count, nor does the order in which the process loads the others."""
    (tmp_path / "book").mkdir()
    helpers = [tmp_path / name for name in ("plans.py", "book/__init__.py", "book/lines.py", "book/late.py")]
    texts = ["from book import lines\n", "", "def late() -> None:\n    from .late import X\n", "X = 1\n"]
    for helper, text in zip(helpers, texts, strict=True):
        helper.write_text(text)
    text = f"import os\nimport plans as p\nfrom ..outside import nothing\n{ONE}"
    text = text.replace("from ..outside", "if False:\n    from ..outside")
    versions = [version_of(load_bot(bot_file(tmp_path, text)))]
    for helper in helpers:
        helper.write_text(f"{helper.read_text()}# better\n")
        versions.append(version_of(load_bot(bot_file(tmp_path, text))))
    assert len({*versions}) == 5
    (tmp_path / "notes.py").write_text("# not imported\n")
    assert version_of(load_bot(bot_file(tmp_path, text))) == versions[-1]


def test_a_bot_in_a_package_has_the_version_of_all_that_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "packaged_bot"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "value.py").write_text("X = 1\n")
    (package / "mine.py").write_text(f"from packaged_bot.value import X\n{ONE}")
    monkeypatch.syspath_prepend(tmp_path)
    bot = importlib.import_module("packaged_bot.mine").One
    one = version_of(bot)
    (package / "value.py").write_text("X = 2\n")
    assert version_of(bot) != one


@pytest.mark.parametrize("file", ["installed_bot/mine.py", "installed_bot.py"])
def test_the_version_of_an_installed_bot_does_not_depend_on_other_packages(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site-packages"
    bot = installed / file
    bot.parent.mkdir(parents=True)
    if bot.parent != installed:
        (bot.parent / "__init__.py").touch()
    bot.write_text(f"import othermod\n{ONE}")
    other = installed / "othermod.py"
    other.write_text("X = 1\n")
    monkeypatch.syspath_prepend(installed)
    loaded = load_bot(str(bot))
    one = version_of(loaded)
    other.write_text("X = 2\n")
    assert version_of(loaded) == one


def test_an_imported_file_that_cannot_be_read_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "broken.py").symlink_to("/proc/self/mem")  # not even root can read its first byte
    name = "long" * 100
    one = version_of(load_bot(bot_file(tmp_path, f"{ONE}def never() -> None:\n    import broken, {name}\n")))
    assert one not in {"", "0"}


def test_a_bot_whose_file_is_gone_has_a_version(tmp_path: Path) -> None:
    bot = load_bot(bot_file(tmp_path, ONE))
    (tmp_path / "mine.py").unlink()
    assert version_of(bot) == "0"


@pytest.mark.parametrize(
    "line",
    [
        "expansions = ('whim',)",
        "expansions = 'whims'",
        "player_counts = (4, 6)",
        "player_counts = (1,)",
        "player_counts = (4)",
    ],
)
def test_a_bot_that_announces_what_there_is_not(tmp_path: Path, line: str) -> None:
    name = line.split()[0]
    with pytest.raises(typer.BadParameter, match=rf"One\.{name} is .*give a list with some of"):
        load_bot(bot_file(tmp_path, f"{ONE}    {line}\n"))


def test_a_bot_for_five_that_knows_no_expansion(tmp_path: Path) -> None:
    with pytest.raises(typer.BadParameter, match="One plays only with five players, who need an expansion"):
        load_bot(bot_file(tmp_path, f"{ONE}    player_counts = [5]\n"))


def test_a_bot_that_announces_everything(tmp_path: Path) -> None:
    line = "    expansions = ['whims', 'artisans']; player_counts = {2, 3, 4, 5}\n"
    assert load_bot(bot_file(tmp_path, ONE + line)).__name__ == "One"


@pytest.mark.parametrize("player", sorted(PLAYERS))
def test_every_house_player_is_a_bot(player: str) -> None:
    bot = house_bot(player)
    assert issubclass(bot, Bot)
    assert 1 <= len(version_of(bot)) <= 64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run"], "give either a file or --house"),
        (["run", "x.py", "--house", "random", "--token", "t"], "give either a file or --house"),
        (["run", "--house", "random"], "ARENA_TOKEN"),
        (["run", "--house", "nobody", "--token", "t"], "there is no house player"),
        (["run", "--house", "random", "--token", "t", "--server", "http://127.0.0.1"], "write https://host:port"),
        (["run", "--house", "random", "--token", "t", "--server", "arena.example.org"], "write https://host:port"),
        (
            ["run", "--house", "random", "--token", "t", "--server", "arena.example.org:1"],
            "write https://arena.example",
        ),
    ],
)
def test_what_is_missing_is_told(arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ARENA_TOKEN", raising=False)
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 2
    assert said in " ".join(outcome.output.replace("│", " ").split())


@pytest.mark.parametrize("reason", ["TRY_AGAIN", ""])
def test_the_address_is_doubted_only_where_no_arena_has_answered(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    said = grpc.aio.Metadata(("arena-reason", reason)) if reason else grpc.aio.Metadata()

    async def unavailable(*_: Any) -> None:
        raise grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), said, "not now", None)

    monkeypatch.setattr("arena.bots.client.release", unavailable)
    with pytest.raises(Refused) as refused:
        release_version("127.0.0.1:1", "token", "v1", "")
    assert ("address" in str(refused.value)) is not bool(reason)
