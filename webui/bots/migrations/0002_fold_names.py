"""Store the skeletons of names again. They now leave out spaces, hyphens and underscores."""

from __future__ import annotations

from typing import Any

from django.db import migrations

from webui.accounts.names import skeleton_of


def fold_names(apps: Any, editor: Any) -> None:
    """Store the skeletons of all names. Of names that have become alike, only the first gets the new one."""
    for model, field in (("accounts.User", "username"), ("bots.Bot", "name")):
        rows = apps.get_model(model).objects
        taken = set(rows.values_list("skeleton", flat=True))
        for key, name, skeleton in list(rows.order_by("pk").values_list("pk", field, "skeleton")):
            new = skeleton_of(name)
            if new not in taken:
                rows.filter(pk=key).update(skeleton=new)
                taken.discard(skeleton)
                taken.add(new)


class Migration(migrations.Migration):
    dependencies = [("bots", "0001_initial"), ("accounts", "0001_initial")]

    operations = [migrations.RunPython(fold_names, migrations.RunPython.noop, elidable=True)]
