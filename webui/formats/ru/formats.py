"""Drawings write coordinates into attributes, where a comma is no decimal mark."""

DECIMAL_SEPARATOR = "."
