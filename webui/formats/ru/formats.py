"""Drawings write coordinates into attributes, where a comma is no decimal mark. Dates as `21 ноября 2026`."""

DECIMAL_SEPARATOR = "."
DATE_FORMAT = "j E Y"
DATETIME_FORMAT = "j E Y, H:i"
