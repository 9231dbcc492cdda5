"""Events as pages show them.

| module | contents |
|---|---|
| `words.py` | states, formats, numbers, and the log of an event in sentences |
| `standings.py` | standings, and the crosstable |
| `rounds.py` | rounds, their tables and games, page by page |
| `bracket.py`, `tree.py` | the bracket of a knockout, as a list and as a drawing |
| `boards.py` | the running matches |
| `podium.py` | the summary of a finished event |
| `live.py` | the live feed of an open page |
| `preview.py` | the picture for link previews |
| `available_actions.py` | the actions of owners and organisers |
| `forms.py`, `term_schemas.py` | the form of an event's terms, and their schemas |
| `now.py`, `consequences.py` | the current state, and the consequences of a decision, for organisers |
| `refusals.py` | the words for refusals |
| `dry_run.py` | the dry run of an event before it is published |
"""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("events", "webui.events.advancing.advance_now", every_s=2),)
