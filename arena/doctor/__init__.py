"""Checks a bot: starts it against a scripted arena, and says what it does wrong and what to do about it."""

from arena.doctor.check import CheckFinding, CheckOutcome, DoctorCheck
from arena.doctor.checks import CHECKS, GROUPS, select
from arena.doctor.process import is_python, python_file, starter
from arena.doctor.run import diagnose

__all__ = [
    "CHECKS",
    "GROUPS",
    "CheckFinding",
    "CheckOutcome",
    "DoctorCheck",
    "diagnose",
    "is_python",
    "python_file",
    "select",
    "starter",
]
