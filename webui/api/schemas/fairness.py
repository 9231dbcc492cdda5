"""Fairness reports as the API shows them."""

from datetime import date

from ninja import Schema


class FairnessDays(Schema):
    """The days of which there are reports."""

    items: list[date]
