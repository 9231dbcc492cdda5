"""Provide the pages with numbers and tables from the code. Tables are Markdown."""

import json
from collections.abc import Mapping
from functools import cached_property
from inspect import getdoc
from pathlib import Path
from typing import Any

from django.utils.html import escape
from django.utils.translation import gettext as _

import arena
from arena.host.posting import TIMEOUT_S
from arena.hosting.faults import HostingFault
from arena.hosting.limits import DEFAULT_LIMITS, bot_limits
from arena.ratings import model
from arena.referee import MAX_NONCE, Clock, Policy, Reason
from arena.rules import RULES, Ruleset, components
from arena.sandbox.cores import ALLOWANCE_S
from arena.sandbox.limits import MIB
from arena.scheduling import ladder
from webui.board.names import COLOURS
from webui.bots.actions import NEW_VERSIONS_AN_HOUR
from webui.challenges.actions import NEW_AN_HOUR, OPEN_OF_OWNER
from webui.challenges.pairing import HOUSE_AT_ONCE
from webui.challenges.queries import WAIT_S
from webui.challenges.values import MOST_AT_ONCE
from webui.core import wheel
from webui.ladders.games import SHARES
from webui.site.docs import http_api, markup
from webui.site.docs.advice import ABORTS, CODES, FAULTS, HOSTING_FAULTS
from webui.site.docs.api import RULES as PARTS_OF_RULES
from webui.site.docs.api import api, api_of
from webui.site.docs.markup import table
from webui.site.docs.pictures import COLOURS as TINTS
from webui.site.docs.reference import reference, translated_comment
from webui.webhooks.actions import MOST_WEBHOOKS
from webui.webhooks.deliveries import FAILING_S, KEPT_S
from webui.words import cards, vocabulary
from webui.words import tiles as words_tiles
from webui.words.glossary import TERMS
from webui.words.tiles import TILE_KINDS

DATA = Path(__file__).parent


class Facts:
    """Values that the pages can show as `{{ facts.NAME }}`."""

    clock = Clock()
    policy = Policy()
    components = components
    mean = model.POINTS_AT_MU
    version_sd = model.VERSION_SD
    rules = RULES
    wheel = wheel.NAME
    """File name of the Python package that the site offers for download."""
    challenge_minutes = WAIT_S // 60
    challenges_at_once = MOST_AT_ONCE
    challenges_of_house = HOUSE_AT_ONCE
    challenges_open = OPEN_OF_OWNER
    challenges_an_hour = NEW_AN_HOUR
    nonce_bytes = MAX_NONCE
    versions_an_hour = NEW_VERSIONS_AN_HOUR
    webhooks_of_owner = MOST_WEBHOOKS
    webhook_timeout_s = f"{TIMEOUT_S:g}"
    webhook_failing_days = f"{FAILING_S / 86400:g}"
    webhook_kept_days = f"{KEPT_S / 86400:g}"

    @cached_property
    def bank_s(self) -> str:
        """Bank at the start of a match, in seconds."""
        return f"{self.clock.bank_ms / 1000:g}"

    @cached_property
    def increment_s(self) -> str:
        """Seconds that each bid and each turn add to the bank."""
        return f"{self.clock.increment_ms / 1000:g}"

    @cached_property
    def cap_s(self) -> str:
        """Maximum time for one request, in seconds."""
        return f"{self.clock.cap_ms / 1000:g}"

    @cached_property
    def grace_s(self) -> str:
        """Maximum time that a bot may be disconnected in a match, in seconds."""
        return f"{self.policy.grace_ms / 1000:g}"

    @cached_property
    def offer_s(self) -> str:
        """Seconds until an offer expires."""
        return f"{self.policy.offer_ms / 1000:g}"

    @cached_property
    def refusals(self) -> dict[str, Any]:
        """Refusals of the gateway and of the rules, and limits of the gateway (`proto/generate.py` writes the file)."""
        document: dict[str, Any] = json.loads((DATA / "refusals.json").read_text(encoding="utf-8"))
        return document

    @property
    def limits(self) -> Mapping[str, Any]:
        """Limits of the gateway."""
        limits: Mapping[str, Any] = self.refusals["limits"]
        return limits

    # Submitted bots

    allowance_ms = round(1000 * ALLOWANCE_S)

    @property
    def hosting_limits(self) -> str:
        """Table of the limits of submitted bots."""
        hosting, bot = DEFAULT_LIMITS, bot_limits(DEFAULT_LIMITS.memory_bytes)
        rows = [
            (_("Upload"), _("{mb} MB").format(mb=hosting.packed_bytes // MIB)),
            (
                _("All files together"),
                _("{mb} MB, {files} files").format(mb=hosting.unpacked_bytes // MIB, files=hosting.files),
            ),
            (_("Folder `weights`, apart from these"), _("{mb} MB").format(mb=hosting.weights_bytes // MIB)),
            (_("Files that an account keeps, unpacked"), _("{mb} MB").format(mb=hosting.stored_bytes // MIB)),
            (_("Submitted bots of an account"), hosting.hosted_bots),
            (_("Submissions of an account in 24 hours"), hosting.submissions_a_day),
            (
                _("Matches at the same time"),
                _("{bot} of a bot, {owner} of all bots of an account").format(
                    bot=hosting.matches_of_bot, owner=hosting.matches_of_owner
                ),
            ),
            (
                _("Build"),
                _("{s} s of processor time, {idle} s without using a processor, {mb} MB of memory").format(
                    s=f"{hosting.build_processor_s:g}",
                    idle=f"{hosting.build_idle_s:g}",
                    mb=hosting.build_memory_bytes // MIB,
                ),
            ),
            (_("Start, until its hello"), _("{s} s of processor time").format(s=f"{hosting.start_processor_s:g}")),
            (
                _("Memory, including files in /tmp"),
                _("{mb} MB, or what `bot.toml` asks for, up to {most} MB").format(
                    mb=hosting.memory_bytes // MIB, most=hosting.most_memory_bytes // MIB
                ),
            ),
            (_("Processes and threads at the same time"), bot.processes),
            (
                _("Files in /tmp"),
                _("{mb} MB, {files} files").format(mb=bot.scratch_bytes // MIB, files=bot.scratch_files),
            ),
            (_("Output in a match"), _("{mb} MB").format(mb=bot.output_bytes // MIB)),
            (_("Processor time in a match"), _("{s} s").format(s=f"{bot.processor_s:g}")),
        ]
        return table((_("What"), _("Limit")), rows)

    # The box

    camels_of_two = components.CAMELS[2]
    camels_of_four = components.CAMELS[4]

    @property
    def tiles(self) -> str:
        """Table of all tiles: kind, colour, value, copies, box."""
        rows = [
            (TILE_KINDS[tile.kind], COLOURS[tile.colour] if tile.colour else "–", tile.value or "–", tile.copies, box)
            for box, tiles in (
                (_("base game"), components.TILES),
                (_("Whims"), components.TILES_OF_WHIMS),
                (_("Artisans"), components.TILES_OF_ARTISANS),
            )
            for tile in tiles
        ]
        return table((_("Tile"), _("Colour"), _("Worth"), _("Copies"), _("Box")), rows, right=(2, 3))

    @property
    def resources(self) -> str:
        """Table of resource cards with their copies."""
        pairs = zip(components.RESOURCES, components.RESOURCE_COPIES, strict=True)
        return table(
            (_("Card"), _("Copies")),
            [(str(vocabulary.RESOURCES[name]).capitalize(), n) for name, n in pairs],
            right=(1,),
        )

    @property
    def suits(self) -> str:
        """Table of the coins that a set of different goods brings."""
        values = list(enumerate(components.SUIT_VALUE))[1:]
        return table(
            (_("Different goods"), *(str(n) for n, _ in values)), [(_("Coins"), *(value for _, value in values))]
        )

    @property
    def cities(self) -> str:
        """Table of the points that one owner's Great Cities bring together."""
        values = list(enumerate(components.CITY_VALUE))[1:]
        return table(
            (_("Cities"), *(str(n) for n, _ in values)), [(_("Points together"), *(value for _, value in values))]
        )

    @property
    def track(self) -> str:
        """Prices of the turn order track with two to four players."""
        return " · ".join(map(str, Ruleset(4).track.costs))

    @property
    def track_of_five(self) -> str:
        """Prices of the turn order track with five players."""
        return " · ".join(map(str, Ruleset(5, ("whims",)).track.costs))

    @property
    def djinns(self) -> str:
        """Table of all Djinns with their points and effects."""
        box = {"": "", "artisans": f" ({_('Artisans')})", "whims": f" ({_('Whims')})"}
        rows = [
            (
                f"**{text.name}**{box[djinn.expansion]}<br>`{djinn.id}`",
                djinn.value,
                f'{text.effect}<br><span class="small muted">{text.when}</span>',
            )
            for djinn in components.DJINNS
            for text in [cards.DJINNS[djinn.id]]
        ]
        return table((_("Djinn"), _("Points"), _("Effect")), rows, right=(1,))

    @property
    def glossary(self) -> str:
        """List of every term of the game with its anchor and its meaning, as HTML."""
        return "".join(
            f'<div id="term-{term.id}"><dt>{_drawn(term.drawing)}{escape(term.name)}</dt>'
            f"<dd>{escape(term.about)}</dd></div>"
            for term in TERMS
        ).join(('<dl class="glossary">', "</dl>"))

    @property
    def whims(self) -> str:
        """Table of all whims with their conditions and rewards."""
        note = _("with Artisans only")  # on its own, because xgettext does not read f-strings
        only = f'<br><span class="small muted">{note}</span>'
        rows = [
            (
                f"`{whim.id}`",
                words_tiles.whim_needs(whim.id) + (only if whim.artisans else ""),
                words_tiles.whim_reward(whim.id),
            )
            for whim in components.WHIMS
        ]
        return table((_("Whim"), _("Its owner has at least"), _("Coins")), rows, right=(2,))

    @property
    def items(self) -> str:
        """Table of all items with their copies, values and effects."""
        rows = [
            (f"**{text.name}**<br>`{item.id}`", item.copies, item.value or "–", text.effect)
            for item in components.ITEMS
            for text in [cards.ITEMS[item.id]]
        ]
        return table((_("Item"), _("Copies"), _("Points"), _("What it does")), rows, right=(1, 2))

    # Refusals

    @property
    def gateway_refusals(self) -> str:
        """Table of the refusals of the gateway."""
        rows = [(f"`{r['reason']}`<br>`{r['status']}`", r["message"]) for r in self.refusals["gateway"]]
        return table((_("Reason, gRPC status"), _("What it says")), rows)

    @property
    def faults(self) -> str:
        """Table of faults with advice."""
        return table(
            (_("Reason"), _("What happened"), _("What to do")), [(f"`{reason}`", *FAULTS[reason]) for reason in Reason]
        )

    @property
    def hosting_faults(self) -> str:
        """Table of the faults of hosted bots, with advice."""
        return table(
            (_("Fault"), _("What happened"), _("What to do")),
            [(f"`{fault}`", *HOSTING_FAULTS[fault]) for fault in HostingFault],
        )

    @property
    def aborts(self) -> str:
        """Table of the reasons why a match does not begin, with advice."""
        return table(
            (_("Reason"), _("What happened"), _("What to do")),
            [(f"`{code}`", *texts) for code, texts in ABORTS.items()],
        )

    @property
    def codes(self) -> str:
        """Table of the refusals of the rules, with the sections that each cites."""
        rules: dict[str, list[str]] = self.refusals["rules"]
        rows = [
            (f"`{code}`", CODES[code], ", ".join(markup.markdown(section) for section in sections))
            for code, sections in rules.items()
        ]
        return table((_("Code"), _("Meaning, and what to check"), _("Rule")), rows)

    # The HTTP API

    @property
    def api_scopes(self) -> str:
        """List of the scopes of tokens."""
        return http_api.scopes()

    @property
    def api_problems(self) -> str:
        """Table of the codes of problems."""
        return http_api.problems()

    @property
    def api_reference(self) -> str:
        """All routes and schemas."""
        return http_api.reference()

    # The checks of `arena doctor`

    @cached_property
    def checks(self) -> dict[str, str]:
        """Table of the checks of each group, in English, as the command prints them."""
        head = (_("Check"), _("How a bot passes"), _("What to do"))
        return {
            group: table(head, [(f"`{check['check']}`", check["what"], check["advice"]) for check in checks])
            for group, checks in self._checks().items()
        }

    @cached_property
    def check_names(self) -> dict[str, str]:
        """Names of the checks of each group."""
        return {group: ", ".join(f"`{check['check']}`" for check in checks) for group, checks in self._checks().items()}

    def _checks(self) -> dict[str, list[dict[str, str]]]:
        """Return the checks by group.

        They are read from the output of `arena doctor --list --json`, so that the site need not load gRPC.
        """
        groups: dict[str, list[dict[str, str]]] = {}
        for check in json.loads((DATA / "en" / "checks.json").read_text(encoding="utf-8")):
            groups.setdefault(check["group"], []).append(check)
        return groups

    # Matchmaking

    @property
    def pairing(self) -> str:
        """Pairing policy: the module docstring of the code that implements it."""
        policy = getdoc(ladder) or ""
        return translated_comment(policy.partition("\n\n")[2])

    @property
    def shares(self) -> str:
        """Table of the rulesets that the matchmaker schedules, with their shares."""
        boxes = {(): _("Base game"), ("whims",): _("Whims"), ("artisans",): _("Artisans")}
        whole = sum(SHARES.values())
        rows = [
            (ruleset.players, boxes.get(ruleset.expansions) or _("Whims and Artisans"), f"{100 * share / whole:.0f} %")
            for ruleset, share in SHARES.items()
        ]
        return table((_("Players"), _("Rules"), _("Share of the matches")), rows, right=(0, 2))

    # Code and protocol

    @property
    def search_bot(self) -> str:
        """Source of the search bot, a file that bot authors can start from."""
        return Path(arena.__file__).parent.joinpath("starters", "python", "search_bot.py").read_text(encoding="utf-8")

    @property
    def training_script(self) -> str:
        """Source of the example for the research environments."""
        return Path(arena.__file__).parent.joinpath("research", "train.py").read_text(encoding="utf-8")

    @cached_property
    def research(self) -> dict[str, Any]:
        """Shapes of the research environments (`python -m arena.research.shapes` writes them)."""
        names: dict[str, Any] = json.loads((DATA / "en" / "research.json").read_text(encoding="utf-8"))
        return names | {part: ", ".join(f"`{name}`" for name in names[part]) for part in ("tile", "seat")}

    @property
    def api_of_bots(self) -> str:
        """Reference of `arena.bots`."""
        return api("arena.bots")

    @property
    def api_of_players(self) -> str:
        """Reference of `arena.players`."""
        return api("arena.players")

    @property
    def api_of_rules(self) -> dict[str, str]:
        """Reference of `arena.rules`, by section."""
        return {part: api_of("arena.rules", names, level=3) for part, names in PARTS_OF_RULES.items()}

    @property
    def reference(self) -> str:
        """Reference of the protocol."""
        return reference()


def _drawn(drawing: str) -> str:
    """Return the drawing beside a term, or an empty box of the same size if the term has no drawing."""
    if not drawing:
        return '<span class="glossary-drawing" aria-hidden="true"></span>'
    kind = drawing.partition("-")[0]
    tint = f" tint-{TINTS.get(drawing[2:], drawing[2:])}" if kind == "t" else ""
    ground = '<rect class="tile-ground" width="100" height="100" rx="9"/>' if kind == "t" else ""
    box = ' viewBox="0 0 100 100"' if kind == "t" else ""
    size = ' width="100" height="100"' if kind == "t" else ""
    line = " resource-icon" if kind == "i" else ""
    use = f'<use href="#{drawing}"{size}/>'
    return f'<svg class="glossary-drawing{line}{tint}"{box} aria-hidden="true">{ground}{use}</svg>'
