"""The HTTP API."""

ROOT = "/api/v1/"
"""Path of the API, as in `webui.urls`."""
