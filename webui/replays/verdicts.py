"""Sentences about the verdicts of many matches, for lists, feeds and previews."""

from collections.abc import Sequence

from webui.matches.values import MatchLine
from webui.stories import queries as story_queries
from webui.words.verdicts import verdict_sentence


def sentences(lines: Sequence[MatchLine]) -> dict[str, str]:
    """Return a sentence on the result and course of each match, by match id. Needs one query.

    Matches without a story or a result are left out.
    """
    told = {line.id: line for line in lines if line.state == "FINISHED" and line.seats}
    return {
        match_id: verdict_sentence(told[match_id], story)
        for match_id, story in story_queries.stories(list(told)).items()
    }


def sentence_of(line: MatchLine) -> str:
    """Return the sentence of one match. Empty if it has none."""
    return sentences([line]).get(line.id, "")
