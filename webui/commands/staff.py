"""`arena admin`: what staff see and do on their pages, at the command line.

Every act of staff (`webui.staff.acts`) is a command. The audit log records that the operator did it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from arena.cli.files import InputError, printable
from webui.commands.database import connect, connected

if TYPE_CHECKING:
    from django import forms

    from webui.staff.act import StaffAct


def ladders() -> None:
    """Print the games of the ladders: whether the matchmaker plays them, with which share and clock."""
    connect()
    from webui.ladders.games import format_clock
    from webui.staff import ladder_queries

    for game in ladder_queries.staff_games():
        terms, current = game.terms, game.current
        state = f"share {terms.share} ({game.percent:.0f} %)" if terms.is_open else "closed"
        clock = format_clock(terms.clock)
        flying = f", {current.running} run, {current.scheduled} wait, {current.matches} finished" if current else ""
        behind = f", spectators {current.ladder.delay} behind" if current and current.ladder.delay else ""
        typer.echo(f"{terms.game}: {state}, {clock}, at most {terms.clock.cap_ms / 1000:g} s{flying}{behind}")


def processes() -> None:
    """Print the processes of the arena, as they report themselves, and the queues."""
    connect()
    from webui.staff import operations

    now = operations.operations()
    for process in now.processes:
        state = "" if process.is_alive else ", silent"
        since = process.started_at.isoformat(timespec="seconds")
        typer.echo(f"{process.kind} {process.name[:8]}: since {since}, {process.version}{state}")
    typer.echo(
        f"{now.running} matches run, {now.matches.waiting} wait ({now.matches.oldest_s:.0f} s), "
        f"{now.leases_over} leases are over, {now.orders.waiting} orders wait ({now.orders.oldest_s:.0f} s)"
    )
    for what, queue in (("emails", now.mails), ("messages of webhooks", now.webhooks)):
        typer.echo(f"{queue.waiting} {what} are due ({queue.oldest_s:.0f} s), {queue.failed} were given up lately")


def audit(
    who: Annotated[str, typer.Option("--by", metavar="USER", help="User who acted; - for the operator.")] = "",
    account: Annotated[str, typer.Option("--account", metavar="USER", help="Account that the act affected.")] = "",
    subject: Annotated[str, typer.Option("--to", help="Subject: a match, a bot or a ladder.")] = "",
    is_all: Annotated[bool, typer.Option("--all", help="Include acts of users on their own accounts.")] = False,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="Maximum number of entries.")] = 50,
) -> None:
    """Print the audit log, latest entries first. By default it shows only acts of staff and the operator."""
    connect()
    from webui.staff import people_queries
    from webui.staff.values import AuditSearch

    wanted = AuditSearch(actor=who, account=account, subject=subject, is_all=is_all)
    for line in people_queries.search_audit(wanted, most=most):
        changes = ", ".join(f"{name} {pair[0]} → {pair[1]}" for name, pair in (line.changes or {}).items())
        parts = [line.at.isoformat(timespec="seconds"), line.actor or "-", str(line.act), line.subject, line.account]
        typer.echo(printable("  ".join(filter(None, [*parts, line.reason, changes]))))


COMMANDS: Mapping[str, Callable[..., None]] = {"ladders": ladders, "processes": processes, "audit": audit}
"""Commands that only read."""

SUBJECTS: Mapping[str, str] = {
    "match": "The id of a match.",
    "game": "As `arena admin ladders` names it: 3, 4-artisans-whims.",
    "ladder": "As its address names it: 3-players-60-s-1-s.",
    "user": "A user's name.",
    "bot": "A bot's name.",
    "submission": "The number of a submission, as its page names it.",
    "runner": "A runner's name.",
    "hosting": "The word: all.",
}


class StaffGroup(TyperGroup):
    """Group of commands with one more for every act of staff. Only these need Django before one is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, the acts of staff last."""
        return [*super().list_commands(ctx), *_acts()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command with this name, or None."""
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in _acts():
            return own
        return _act_command(_acts()[cmd_name])


def _acts() -> Mapping[str, StaffAct[Any]]:
    connect()
    from webui.staff.acts import ACTS

    return {act.key: act for act in ACTS}


def _act_command(act: StaffAct[Any]) -> Any:
    """Return the command of an act. It has an argument for the subject, and options for the fields of the form."""
    from webui.accounts.values import OPERATOR
    from webui.staff.act import ActForm

    @connected()
    def run(**given: Any) -> None:
        subject = given.pop("subject")
        page = act.on.find(subject)
        form = ActForm(
            act, page, {**act.initial(page), **{name: each for name, each in given.items() if each is not None}}
        )
        if not form.is_valid():
            raise InputError("; ".join(f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items()))
        has_changed = act.do(page, form.cleaned_data, OPERATOR)
        typer.echo(f"{act.key} {subject}: {'done' if has_changed else 'nothing was changed'}")

    parameters = {"subject": Annotated[str, typer.Argument(metavar=act.on.key.upper(), help=SUBJECTS[act.on.key])]}
    for name, field in act.fields.items():
        if not field.widget.is_hidden:
            parameters[name] = _parameter(act, name, field)
    if act.reason is not None:
        parameters["reason"] = Annotated[str, typer.Option("--reason", help=f"Why. {act.reason}")]
    keyword = inspect.Parameter.KEYWORD_ONLY
    optional = {name for name in parameters if name in act.fields and name not in act.arguments}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, keyword, annotation=annotation, **({"default": None} if name in optional else {}))
            for name, annotation in parameters.items()
        ]
    )
    run.__annotations__ = dict(parameters)
    single = typer.Typer(add_completion=False)
    single.command(act.key, help=act.help)(run)
    return typer.main.get_command(single)


def _parameter(act: StaffAct[Any], name: str, field: forms.Field) -> Any:
    """Return the annotation of the argument or option for a field."""
    from django import forms

    help_text = ". ".join(filter(None, (str(field.label or ""), str(field.help_text))))
    if isinstance(field, forms.ChoiceField):
        choices: Any = field.choices
        help_text += f" ({', '.join(key for key, _ in choices)})"
    if name in act.arguments:
        return Annotated[str, typer.Argument(help=help_text)]
    option = typer.Option(act.flags.get(name, f"--{name}"), help=help_text)
    kinds: dict[type[forms.Field], Any] = {
        forms.BooleanField: bool,
        forms.DecimalField: float,
        forms.IntegerField: int,
        forms.MultipleChoiceField: list[str],
    }
    return Annotated[kinds.get(type(field), str) | None, option]
