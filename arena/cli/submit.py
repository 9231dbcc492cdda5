"""`arena bot submit`: hand in a version of a bot, which the arena then runs."""

from __future__ import annotations

import re
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from arena.cli.api import NEAR_SITE, Api, SiteAddress
from arena.cli.fetching import Away, RequestRefused
from arena.cli.files import InputError, print_json, printable
from arena.cli.progress import byte_bar
from arena.hosting.archives import BundleError
from arena.hosting.bundle import Bundle, PackedWeights, pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.manifest import ManifestError
from arena.hosting.preparing import WheelTarget, prepare_folder

LOOK_S: Final = 2.0
MOST_FAILURES: Final = 15
"""Maximum number of failed polls in a row; the build continues without this command."""
NOT_READY: Final = 1
OPEN_STATES: Final = ("uploaded", "building", "examining")
REGISTER: Final = "register your bot at {}/account/bots/new/, and give the end of its page's address: --bot my-bot"
AUTHORIZE: Final = "make an API token with the scope bots at {}/account/api-tokens/new/, and set ARENA_API_TOKEN to it"
NEXT_STEPS: Final = {"NOT_FOUND": REGISTER, "BAD_TOKEN": AUTHORIZE, "MISSING_SCOPE": AUTHORIZE}
"""The next step after a refusal, by its code. The address of the arena belongs in the braces."""
WORDS: Final = {
    "uploaded": "waiting for a runner",
    "building": "being built",
    "examining": "being examined",
    "ready": "ready",
    "failed": "failed",
    "withdrawn": "withdrawn",
}


def submit(
    source: Annotated[Path, typer.Argument(help="The bot's folder, a zip or tar of it, or its only file.")],
    bot: Annotated[str, typer.Option(help="Name of your bot in the arena.")] = "",
    version: Annotated[str | None, typer.Option(help="Name of the version; by default v1, v2 and so on.")] = None,
    note: Annotated[str, typer.Option(help="Note about what is new; everybody can read it.")] = "",
    site: SiteAddress = NEAR_SITE,
    token: Annotated[
        str, typer.Option(help="API token of your account with the scope `bots`.", envvar="ARENA_API_TOKEN")
    ] = "",
    is_dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Send nothing: build and examine it here, as the arena would.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")] = False,
) -> None:
    """Hand in a version of your bot: the arena builds, examines and runs it.

    Before that, the command `prepare` of its bot.toml runs here, and Python packages that requirements.txt or uv.lock
    names are fetched to its folder `vendor`. Files in its folder `weights` are sent apart from the bot, and only if the
    arena has no equal ones of yours. With --dry-run neither --bot nor a token is needed.

    Ctrl-C stops waiting; the arena goes on, and the bot's page shows the outcome.

    Exit code: 0 ready (with --dry-run: it would be), 1 failed or withdrawn, 2 refused by the arena (also for a wrong
    token) or unusable input.
    """
    if not source.exists():
        raise InputError(f"there is no {str(source)!r}")
    if is_dry_run:
        from arena.cli.dry_run import dry_run

        dry_run(source)
        return
    site = site.rstrip("/")
    if not bot:
        raise typer.BadParameter(f"--bot is missing: {REGISTER.format(site)}; or add --dry-run to send nothing")
    if not token:
        raise typer.BadParameter(f"the token is missing: {AUTHORIZE.format(site)}")
    api = Api(site, token)
    _check_bot(api, bot, site)
    with tempfile.TemporaryDirectory(prefix="arena-submit-") as folder:
        bundle = _packed(api, source, Path(folder) / "bundle")
        left_out = f"; left out: {', '.join(bundle.left_out)}" if bundle.left_out else ""
        print(printable(f"{bundle.sizes()}{left_out}"), file=sys.stderr)
        if bundle.weights is not None:
            _send_weights(api, bundle.weights)
        query = {"file": "bot.tar.gz", **({"version": version} if version else {}), **({"note": note} if note else {})}
        with byte_bar(bundle.size, "upload") as advance:
            made = api.upload("bots", bot, "submissions", query=query, file=bundle.packed, on_bytes=advance)
    last = _followed(api, _checked(made))
    if json:
        print_json(last)
    else:
        print(printable(_sentence(last)))
    raise typer.Exit(0 if last["state"] == "ready" else NOT_READY)


def _check_bot(api: Api, bot: str, site: str) -> None:
    """Ask for this bot of the token's account, because preparing it may take minutes. Raises `InputError`."""
    try:
        api.get("bots", bot, "submissions", query={"limit": "1"})
    except RequestRefused as error:
        step = NEXT_STEPS.get(error.code)
        raise InputError(f"{error}; {step.format(site)}" if step else str(error)) from None
    except Away:
        return  # what follows is tried again


def _send_weights(api: Api, weights: PackedWeights) -> None:
    """Send weights, unless the arena has them from an earlier version."""
    known = api.get("weights", query={"sha256": weights.sha256}).get("items")
    print(printable(f"weights: {weights.sizes()}{', which the arena has' if known else ''}"), file=sys.stderr)
    if not known:
        with byte_bar(weights.size, "weights") as advance:
            api.upload("weights", query={}, file=weights.packed, on_bytes=advance)


def _packed(api: Api, source: Path, target: Path) -> Bundle:
    try:
        if source.is_dir():
            prepare_folder(source, DEFAULT_LIMITS, _log, partial(_wheel_target, api))
        # The arena may have other processors than this machine, and compares them itself.
        return pack(source, source.resolve().name, target, DEFAULT_LIMITS, machine=None)
    except ManifestError as error:
        raise InputError("; ".join(error.problems)) from None
    except (BundleError, OSError) as error:
        raise InputError(str(error)) from None


def _log(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)


def _wheel_target(api: Api) -> WheelTarget:
    """Return the machine of the arena that wheels must fit: the one with the oldest C library, if there are several."""
    texts = ("python", "machine", "libc")
    found = [one for one in api.get("runtimes").get("items", ()) if all(isinstance(one.get(key), str) for key in texts)]
    if not found:
        _log("no runner of the arena is connected now: Python packages are chosen for this machine\n")
        return WheelTarget()
    oldest = min(found, key=lambda one: [int(part) for part in re.findall(r"\d+", one["libc"])])
    return WheelTarget(*(oldest[key] for key in texts))


def _checked(document: dict[str, Any]) -> dict[str, Any]:
    texts = ("state", "version", "log")
    is_submission = isinstance(document.get("id"), int) and all(isinstance(document.get(key), str) for key in texts)
    if not is_submission:
        raise InputError("this is not an arena: its answer is not a submission")
    return document


def _followed(api: Api, submission: dict[str, Any]) -> dict[str, Any]:
    """Return the submission once it has ended, or once the user stops waiting."""
    shown, failures, wait_s = "", 0, LOOK_S
    try:
        while submission["state"] in OPEN_STATES:
            if (now := f"version {submission['version']}: {_state(submission)}") != shown:
                print(printable(now), file=sys.stderr, flush=True)
                shown = now
            time.sleep(wait_s)
            try:
                submission = _checked(api.get("submissions", str(submission["id"])))
                failures, wait_s = 0, LOOK_S
            except Away as error:
                failures, wait_s = failures + 1, max(LOOK_S, error.wait_s)
                if failures >= MOST_FAILURES:
                    raise InputError(str(error)) from None
    except KeyboardInterrupt:
        print("the arena goes on without this command", file=sys.stderr)
    return submission


def _state(submission: dict[str, Any]) -> str:
    words = WORDS.get(submission["state"], str(submission["state"]))
    before = submission.get("before")
    if submission["state"] not in OPEN_STATES or not isinstance(before, int) or before < 1:
        return words
    return f"{words}, {before} version{'s are' if before > 1 else ' is'} built before it"


def _sentence(submission: dict[str, Any]) -> str:
    """Describe the outcome: a fault with the end of the log."""
    sentence = f"version {submission['version']}: {_state(submission)}"
    if submission["state"] != "failed":
        return sentence
    end = submission["log"].rstrip().splitlines()[-20:]
    return "\n".join([*end, f"{sentence}: {submission.get('fault')}: {submission.get('fault_text')}"])
