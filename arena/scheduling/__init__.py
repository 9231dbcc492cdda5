"""Who plays whom. Pure: the state of things and a stream of chance in, pairings out."""

from arena.scheduling.ladder import Chance, Format, Load, Pairing, Player, next_matches

__all__ = ["Chance", "Format", "Load", "Pairing", "Player", "next_matches"]
