"""Hosted bots: what authors hand in, and what runners build, examine and play."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (
    PeriodicTask("submissions", "webui.hosting.jobs.announce_now", every_s=2),
    PeriodicTask("kept versions", "webui.hosting.jobs.keep_versions_now", every_s=5),
    PeriodicTask("blobs", "webui.hosting.blob_store.move_now", every_s=600, lane=Lane.LONG),
)
