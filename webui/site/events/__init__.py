"""Events as pages show them.

| module | what is there |
|---|---|
| `words.py` | states, formats, numbers, and the log of an event in sentences |
| `standings.py` | standings, and the crosstable |
| `rounds.py` | rounds, their tables and games, page by page |
"""
