"""Hooks of comparisons."""

from typing import Final

from webui.comparisons.models import Comparison
from webui.core.subjects import Hook

comparison_ended: Final = Hook[[Comparison], None]()
"""A comparison has ended. Called in the transaction that ends it."""
