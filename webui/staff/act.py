"""An act of staff: the kind of thing that it is done to, its form, and what its page and its command say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from webui.accounts.actions import LONGEST_REASON
from webui.accounts.values import Actor
from webui.staff.values import Right

Page = TypeVar("Page")
"""Values that the page for staff shows of the subject of an act."""
Words = str | Promise
Entered = Mapping[str, Any]
"""Valid values of a form, by the names of its fields."""


@dataclass(frozen=True)
class ActSubject(Generic[Page]):
    """Kind of thing that acts are done to."""

    key: str
    find: Callable[[str], Page]
    """Return the page for staff. The argument is the word that names the subject in addresses, or the name that a
    command was given. Raise `NotFound`."""
    root: str
    """Address of a subject among the pages of staff, with its converter."""
    section: str
    """Section of the pages of staff."""
    word: Callable[[Page], str]
    """Return the word that names the subject in addresses."""
    name: Callable[[Page], str]
    """Return the name of the subject for titles."""
    back: Callable[[Page, Entered], str]
    """Return the address to go to after an act, from what was entered."""


def _nothing(page: Any) -> Entered:
    return {}


def _always(page: Any) -> bool:
    return True


@dataclass(frozen=True)
class StaffAct(Generic[Page]):
    """One act of staff."""

    key: str
    """Name of the command. The name of the page is `staff-` and this key."""
    on: ActSubject[Page]
    path: str
    """Address of the page, below the address of the subject."""
    right: Right
    do: Callable[[Page, Entered, Actor], bool]
    """Do the act. Return False if nothing had to be changed."""
    help: str
    """Sentence for the list of commands."""
    title: Words
    button: Words
    done: Words
    """Sentence that the page shows when the act is done."""
    consequences: Callable[[Page], list[str]]
    """Return the sentences that the page shows before the act is done."""
    reason: Words | None
    """Sentence that says who reads the reason. None: the act needs no reason."""
    fields: Mapping[str, forms.Field] = field(default_factory=dict)
    """Fields of the form beside the reason. A command has an option for each visible one."""
    initial: Callable[[Page], Entered] = _nothing
    """Return the values that the form shows first. A command uses them for options that are not given."""
    arguments: tuple[str, ...] = ()
    """Fields that are arguments of the command instead of options."""
    flags: Mapping[str, str] = field(default_factory=dict)
    """Options of the command that are not named like their fields."""
    is_possible: Callable[[Page], bool] = _always
    """Tell whether the page of the subject offers the act now."""
    is_dangerous: bool = False


class ActForm(forms.Form):
    """Form of an act."""

    def __init__(self, act: StaffAct[Page], page: Page, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial=dict(act.initial(page)))
        self.fields.update(deepcopy(dict(act.fields)))
        if act.reason is not None:
            self.fields["reason"] = forms.CharField(
                label=_("Reason"),
                max_length=LONGEST_REASON,
                help_text=str(act.reason),
                widget=forms.TextInput(attrs={"autocomplete": "off"}),
            )


LOGGED: Final = _("The audit log keeps it.")
