"""The HTTP API as a whole: its routes, its document and its errors."""
