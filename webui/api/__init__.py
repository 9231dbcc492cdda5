"""The HTTP API."""

ROOT = "/api/v1/"
"""Where `webui.urls` has it."""
