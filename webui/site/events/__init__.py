"""Events as pages show them.

| module | what is there |
|---|---|
| `words.py` | states, formats, numbers, and the log of an event in sentences |
| `standings.py` | standings, and the crosstable |
| `rounds.py` | rounds, their tables and games, page by page |
| `bracket.py` | the bracket of a knockout |
| `room.py` | what owners and organisers can do |
| `forms.py`, `form_values.py` | the form of an event's terms, and what it is filled in with |
| `dry_run.py` | an event tried out before it is published |
"""
