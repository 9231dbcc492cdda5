import pytest
from tests.site.world import World
from tests.site.test_staff_browser import pages
from webui.ladder.models import FairnessReport
pytestmark = pytest.mark.django_db
def test_it(world: World):
    pair = {"helper": str(world.bot), "helped": "House Greedy", "mean": 0.41, "effect": 1.2, "games": 31, "p": 2.1e-5}
    FairnessReport.objects.create(
        date="2026-11-23", is_closed=True, tallies={}, document={}, made_at="2026-11-24T00:10:00Z",
        pairs={"games": 300, "null_scale": 1.0, "pairs": [{**pair, "flagged": True}]},
    )
    c=world.client("staff")
    assert c.get("/staff/suspicions/").status_code==200
    assert c.get("/staff/suspicions/?accounts=1").status_code==200
