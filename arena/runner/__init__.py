"""The runner: it builds, examines and plays hosted bots in sandboxes. It has no database."""
