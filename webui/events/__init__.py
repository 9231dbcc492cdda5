"""Events as pages show them.

| module | what is there |
|---|---|
| `words.py` | states, formats, numbers, and the log of an event in sentences |
| `standings.py` | standings, and the crosstable |
| `rounds.py` | rounds, their tables and games, page by page |
| `bracket.py`, `tree.py` | the bracket of a knockout, as a list and as a drawing |
| `boards.py` | the boards in play |
| `podium.py` | what is left of an event that is over |
| `live.py` | the stream that an open page follows |
| `preview.py` | the picture for links |
| `room.py` | what owners and organisers can do |
| `forms.py`, `form_values.py` | the form of an event's terms, and what it is filled in with |
| `now.py`, `consequences.py` | what goes on, and what a decision would change, for organisers |
| `refusals.py` | why something is refused |
| `dry_run.py` | an event tried out before it is published |
"""
