"""List the pages in reading order, and load them."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.template import Context, Engine
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from arena.rules.citations import NOTATION, RULES
from webui.site.docs.facts import Facts
from webui.site.docs.markdown import Text, render
from webui.site.docs.pictures import Pictures

SOURCES = Path(__file__).parent
GATEWAY = "127.0.0.1:50051"
"""Address of the gateway in the sources of the pages. A running site shows its own address instead."""
RUNTIMES = "RUNTIMES"
"""Place of the runners' interpreters and libraries in the sources of the pages. A running site shows those it has."""
ORIGINAL = "en"
"""Language in which every page exists. Other languages have some of the pages."""


@dataclass(frozen=True)
class DocsPage:
    """A page: its address below /docs, its name in the navigation, and a short description."""

    slug: str
    name: str | Promise
    about: str | Promise
    part: str | Promise
    is_normative: bool = False
    """Whether the page shows a document of `docs/` unchanged, in English only."""
    has_terms: bool = False
    """Whether the page explains the game, so that terms in it link to the glossary."""


GLOSSARY = "glossary"
PLAY, BOTS, ARENA = _("The game"), _("For bot authors"), _("The arena")

PAGES = (
    DocsPage(
        "quick-start", _("Quick start"), _("From nothing to a bot that plays rated matches, in five minutes."), BOTS
    ),
    DocsPage(
        "search-bot",
        _("Your first search bot"),
        _("Forty lines that look ahead and beat greedy."),
        BOTS,
    ),
    DocsPage("doctor", _("Examine a bot"), _("What it does wrong, and what to do about it."), BOTS),
    DocsPage("runtime", _("Where submitted bots run"), _("What they find there, their limits, and their clock."), BOTS),
    DocsPage(
        "debug", _("Debug a lost match"), _("Put your bot before any decision again, and play on from there."), BOTS
    ),
    DocsPage("protocol", _("The protocol by hand"), _("Talk to the arena with grpcurl, then in any language."), BOTS),
    DocsPage("reference", _("Protocol reference"), _("Every message and field, from the .proto files."), BOTS),
    DocsPage("api-bots", _("Python: arena.bots"), _("Every class of the client, from its docstrings."), BOTS),
    DocsPage("api-rules", _("Python: arena.rules"), _("The engine to look ahead with, from its docstrings."), BOTS),
    DocsPage(
        "research",
        _("Environments for research"),
        _("PettingZoo, Gymnasium, OpenSpiel: observations and actions as numbers."),
        BOTS,
    ),
    DocsPage("notation", _("Notation"), _("How actions, positions and replays are written."), BOTS),
    DocsPage(
        NOTATION,
        _("Notation, in full"),
        _("The normative text: every action, event, position and replay."),
        BOTS,
        is_normative=True,
    ),
    DocsPage("webhooks", _("Webhooks"), _("Signed messages about matches, faults and events."), BOTS),
    DocsPage(
        "http-api", _("HTTP API"), _("Every route with its parameters and answers, tokens, limits and problems."), BOTS
    ),
    DocsPage("errors", _("Errors and faults"), _("What can be refused, why, and what to do."), BOTS),
    DocsPage("rules", _("The base game"), _("Five Tribes in our own words, with pictures."), PLAY, has_terms=True),
    DocsPage(
        "expansions",
        _("Whims and Artisans"),
        _("The great lake, cities, workshops, items, five players."),
        PLAY,
        has_terms=True,
    ),
    DocsPage("djinns", _("Djinns and items"), _("What each Djinn, whim and item does."), PLAY, has_terms=True),
    DocsPage(GLOSSARY, _("Glossary"), _("Every term of the game in a sentence or two."), PLAY),
    DocsPage(
        RULES,
        _("The rules, in full"),
        _("The normative text: what refusals cite, with a source for each fact."),
        PLAY,
        is_normative=True,
    ),
    DocsPage("clocks", _("Clocks and faults"), _("Thinking time, strikes, grace, forfeits."), ARENA),
    DocsPage("ladders", _("Pairing and ratings"), _("Who meets whom, and what a rating says."), ARENA),
    DocsPage(
        "events", _("Tournaments and leagues"), _("Hold an event, and prove it: formats, tie-breaks, absence."), ARENA
    ),
    DocsPage("fairness", _("Fairness"), _("Where chance comes from, and how to check a match."), ARENA),
    DocsPage(
        "open-data", _("Open data"), _("All replays as files, what is in them, and how to count with them."), ARENA
    ),
    DocsPage("watching", _("Watching"), _("Running matches, TV, and how to show them elsewhere."), ARENA),
    DocsPage("operators", _("Running an arena"), _("On a laptop, on a server, for an event."), ARENA),
)


def find(slug: str) -> DocsPage | None:
    """Return the page with this address."""
    return next((page for page in PAGES if page.slug == slug), None)


@lru_cache(maxsize=4 * len(PAGES))
def read(slug: str, language: str = ORIGINAL) -> Text:
    """Return a page as HTML, in English if there is no translation. Each process renders a page once."""
    path = SOURCES / language / f"{slug}.md"
    if not path.exists():
        language, path = ORIGINAL, SOURCES / ORIGINAL / f"{slug}.md"
    text = path.read_text(encoding="utf-8")
    page = find(slug)
    if page is not None and page.is_normative:
        # On the site, the two documents of `docs/` have other addresses.
        text = text.replace("](rules.md", f"](../{RULES}/").replace("](notation.md", f"](../{NOTATION}/")
        return render(text, language)
    template = Engine().from_string(text)
    with override(language):
        # The context holds no foreign text, and the Markdown renderer escapes.
        source = template.render(Context({"facts": Facts(), "pictures": Pictures()}, autoescape=False))
        return render(source, language)
