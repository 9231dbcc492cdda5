"""Analysis: lines of play that visitors try out, from a finished match, from a new deal, or from a position.

Nothing is stored: the address of a page holds all of it (`addresses.py`).
"""
