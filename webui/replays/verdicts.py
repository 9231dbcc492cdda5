"""The sentences of verdicts of many matches, for lists, feeds and previews."""

from collections.abc import Sequence

from webui.matches.values import MatchLine
from webui.stories import queries as story_queries
from webui.words.verdicts import verdict_sentence


def sentences(lines: Sequence[MatchLine]) -> dict[str, str]:
    """By match how it ended and what it was like; none of those that have no story, or no result. One query."""
    told = {line.id: line for line in lines if line.state == "FINISHED" and line.seats}
    return {
        match_id: verdict_sentence(told[match_id], story)
        for match_id, story in story_queries.stories(list(told)).items()
    }


def sentence_of(line: MatchLine) -> str:
    """That of one match; empty: none."""
    return sentences([line]).get(line.id, "")
