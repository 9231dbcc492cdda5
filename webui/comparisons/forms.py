"""The form that orders a comparison of two versions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from arena.ratings.sequential import MARGIN
from webui.bots.values import VersionRef
from webui.ladders.games import SHARES
from webui.words.titles import game_words


class ComparisonForm(forms.Form):
    """Two versions, and the terms of their comparison."""

    new = forms.TypedChoiceField(label=_("Is this version better"), coerce=int)
    old = forms.TypedChoiceField(label=_("than this one?"), coerce=int)
    game = forms.TypedChoiceField(
        label=_("Game"),
        coerce=int,
        help_text=_("With more than two players, house bots take the other seats."),
    )
    margin = forms.TypedChoiceField(
        label=_("By how many points"),
        coerce=float,
        choices=[("20", "20"), ("50", "50"), ("100", "100")],
        initial=f"{MARGIN:g}",
        help_text=_("A smaller difference takes more games: for 20 points some 1,300, for 50 some 200."),
    )

    def __init__(self, bot: int, new: Sequence[VersionRef], old: Sequence[VersionRef], data: Any = None) -> None:
        super().__init__(data)
        self._rulesets = list(SHARES)
        fields: Any = self.fields
        fields["new"].choices = [(version.id, version.name) for version in new]
        fields["old"].choices = [
            (version.id, version.name if version.bot.id == bot else f"{version.bot.name} {version.name}")
            for version in old
        ]
        fields["old"].initial = next((version.id for version in old if version.id != new[0].id), None) if new else None
        fields["game"].choices = [
            (place, game_words(ruleset.players, ruleset.expansions)) for place, ruleset in enumerate(self._rulesets)
        ]

    def order(self) -> dict[str, Any]:
        """Return the arguments of `compare_versions`."""
        data = self.cleaned_data
        ruleset = self._rulesets[data["game"]]
        return {"new": data["new"], "old": data["old"], "ruleset": ruleset, "margin": data["margin"]}
