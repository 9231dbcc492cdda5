"""Link citations of the rules and of the notation on pages of the documentation."""

from arena.rules.citations import links


def markdown(citation: str) -> str:
    """Return a citation as Markdown links."""
    return ", ".join("[{}](../{}/#{})".format(text, *target.split("#")) for text, target in links(citation))
