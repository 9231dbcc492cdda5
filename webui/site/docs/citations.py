"""Citations of the rules and of the notation on pages of the documentation."""

from arena.rules.citations import links


def markdown(citation: str) -> str:
    """A citation as Markdown, on a page of the documentation."""
    return ", ".join("[{}](../{}/#{})".format(text, *target.split("#")) for text, target in links(citation))
