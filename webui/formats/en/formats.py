"""Dates as `21 Nov 2026`."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
