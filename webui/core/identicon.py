"""Identicons of bots: star polygons {n/k} in a circle, chosen by the bot's name."""

from hashlib import sha256
from math import cos, gcd, pi, sin

STARS = [(n, k) for n in range(5, 14) for k in range(2, (n + 1) // 2) if gcd(n, k) == 1]


def star_path(name: str) -> str:
    """Return the path data of the star in a square of 24 units. The same name always gives the same star."""
    points, step = STARS[int.from_bytes(sha256(name.encode()).digest()[:4], "big") % len(STARS)]
    corners = []
    for number in range(points):
        angle = 2 * pi * (number * step % points) / points
        corners.append(f"{12 + 10 * sin(angle):.1f} {12 - 10 * cos(angle):.1f}")
    return "M" + "L".join(corners) + "z"
