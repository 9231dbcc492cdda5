"""Drawings write coordinates into attributes, where a comma is no decimal mark. Dates as `21 nov. 2026`."""

DECIMAL_SEPARATOR = "."
DATE_FORMAT = "j N Y"
DATETIME_FORMAT = "j N Y à H:i"
