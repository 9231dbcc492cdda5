"""The registry of subjects, and the hooks between them.

Each Django application of `webui` is a subject: a folder with its tables, actions, queries and pages. The order of
`INSTALLED_APPS` is the order of the subjects: a subject imports only those before it.

The module `subject` declares what the arena as a whole must know of a subject. Its package declares its periodic tasks
(`webui.core.upkeep`). Only the tables of addresses (`webui.site`) name the subjects one by one. An example:

    SUBJECT = Subject(site_rights={Follow: ALL}, erase=erase, receives=(notices.sending.received_by(note_digests),))

A `Hook` is a question or an event of one subject that later subjects answer, without being imported by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Generic, NamedTuple, ParamSpec, TypeVar

from django.apps import apps
from django.db import models, transaction

# Retention: every night, rows that are no longer kept are deleted or emptied.
#
# Each subject declares its rules (`webui.core.subjects`); docs/security.md has the table with the reasons. Rows are
# deleted in transactions of at most `BATCH`. If the process is killed, the next night does the rest.


BATCH: Final = 500
"""Maximum number of rows in one transaction."""


def let_go(is_stopping: Callable[[], bool] = lambda: False, batch: int = BATCH) -> dict[str, int]:
    """Delete or empty everything that is no longer kept. Return the number of rows by the name of their rule."""
    gone: dict[str, int] = {}
    for subject in subjects():
        for rule in subject.retention():
            while not is_stopping() and (count := _apply(rule, batch)):
                gone[rule.name] = gone.get(rule.name, 0) + count
    return gone


@transaction.atomic
def _apply(rule: Rule, batch: int) -> int:
    keys = list(rule.rows.order_by("pk").values_list("pk", flat=True)[:batch])
    chosen = rule.rows.model._base_manager.filter(pk__in=keys)
    if rule.values is None:
        return sum(chosen.delete()[1].values())
    return models.QuerySet(rule.rows.model).filter(pk__in=chosen.values("pk")).update(**rule.values)


P = ParamSpec("P")
R = TypeVar("R")

Rights = Mapping[str, tuple[str, ...]]
"""Privileges on some columns of a table, or on all of them (empty tuple)."""
Table = type[models.Model] | str
"""A model, or the name of a table that has none."""
READ: Final[Rights] = {"SELECT": ()}
ADD: Final[Rights] = {**READ, "INSERT": ()}
CHANGE: Final[Rights] = {**ADD, "UPDATE": ()}
ALL: Final[Rights] = {**CHANGE, "DELETE": ()}

Document = dict[str, Any]
"""A JSON object."""


class Rule(NamedTuple):
    """A rule of retention: which rows are old, and whether they are deleted or emptied."""

    name: str
    """Name of the rows in the log, for instance `sessions`."""
    rows: models.QuerySet[Any]
    """Rows that are no longer kept."""
    values: Mapping[str, str | int | None] | None = None
    """New values of the columns that are emptied. None if the rows are deleted."""


Problems = Iterator[tuple[str, str]]
"""Problems that a check found: pairs of an object (id of a match, name of a ladder) and a message."""


class Check(NamedTuple):
    """A check of the tables by the doctor."""

    name: str
    find: Callable[[datetime | None], Problems]
    """Return the problems in everything that is newer than this time, or in all tables if it is None."""


class Sitemap(NamedTuple):
    """A sitemap of the pages of many numbered rows, in parts: each part is one range of an index.

    Django's own sitemaps count the rows and skip those of the earlier parts, which costs more for each later part.
    """

    name: str
    """Name in its address."""
    rows: int
    """Highest number of a row."""
    find: Callable[[int, int], Iterable[tuple[str, datetime | None]]]
    """Return the addresses of the rows between two numbers (inclusive), with the times of their last change."""


class Receiver(NamedTuple):
    """A function that a hook calls."""

    hook: Hook[Any, Any]
    receive: Callable[..., Any]


class Hook(Generic[P, R]):
    """A question or an event of one subject that later subjects answer."""

    def received_by(self, receive: Callable[P, R]) -> Receiver:
        """Return the declaration that this hook calls `receive`."""
        return Receiver(self, receive)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> list[R]:
        """Call every receiver, in the order of the subjects, and return their answers.

        An error of a receiver is raised: events are written in the transaction of the caller, or not at all.
        """
        return [receive(*args, **kwargs) for receive in _receivers().get(self, ())]


def _nothing(user_id: int) -> Document:
    return {}


@dataclass(frozen=True, kw_only=True)
class Subject:
    """The declaration of a subject: what the arena as a whole must know of it."""

    gateway_rights: Mapping[Table, Rights] = field(default_factory=dict)
    """Rights of the gateways' role in PostgreSQL."""
    site_rights: Mapping[Table, Rights] = field(default_factory=dict)
    """Rights of the site's role in PostgreSQL."""
    retention: Callable[[], Iterable[Rule]] = tuple
    """Return the rules by which rows are deleted or emptied every night."""
    personal_data: Callable[[int], Document] = _nothing
    """Return what is stored about this user, by section. Sections of several subjects are merged."""
    personal_data_of_bot: Callable[[int], Document] = _nothing
    """Return what is stored about this bot of the user."""
    erase: Callable[[int], object] = _nothing
    """Erase the personal data of this user, in the transaction of the caller."""
    pages: Callable[[], Iterable[str]] = tuple
    """Return the addresses of single pages that search engines should know."""
    sitemaps: Callable[[], Iterable[Sitemap]] = tuple
    """Return the sitemaps of this subject's rows."""
    checks: tuple[Check, ...] = ()
    """Checks of the doctor."""
    receives: tuple[Receiver, ...] = ()
    """Hooks of earlier subjects, with the functions that they call."""


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the declarations of all subjects, in their order."""
    names = [config.name for config in apps.get_app_configs() if config.name.startswith("webui.")]
    declared = [f"{name}.subject" for name in names]
    return tuple(import_module(name).SUBJECT for name in declared if find_spec(name) is not None)


def own_models() -> list[type[models.Model]]:
    """Return the models of all subjects."""
    return [model for model in apps.get_models() if model.__module__.startswith("webui.")]


@cache
def _receivers() -> dict[Hook[Any, Any], list[Callable[..., Any]]]:
    by_hook: dict[Hook[Any, Any], list[Callable[..., Any]]] = {}
    for subject in subjects():
        for hook, receive in subject.receives:
            by_hook.setdefault(hook, []).append(receive)
    return by_hook
