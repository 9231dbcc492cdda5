from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now

from webui.ladder.records import pack_record, unpack_record


def add_incidents(apps: Any, schema_editor: Any) -> None:
    """Records from before they told of strikes, absences and forfeits get them from the log, or could not be proved."""
    records, log = apps.get_model("ladder", "MatchRecord"), apps.get_model("ladder", "LogRow")
    troubled = log.objects.filter(kind__in=("fault", "forfeit", "back")).values("match_id")
    for record in records.objects.filter(match_id__in=troubled).iterator():
        entries = log.objects.filter(match_id=record.match_id).order_by("number")
        if incidents := _incidents(entries.values_list("kind", "seat", "text", "data")):
            record.packed = pack_record({**unpack_record(bytes(record.packed)), "incidents": incidents})
            record.save(update_fields=["packed"])


def _incidents(entries: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    index = 0
    for kind, seat, text, data in entries:
        if kind in ("decision", "chance"):
            index += 1
        elif kind in ("fault", "forfeit"):
            found.append({"at": index, "seat": seat, "kind": kind, "reason": text})
        elif kind == "back" and data["away_ms"]:
            found.append({"at": index, "seat": seat, "kind": "absence", "ms": data["away_ms"]})
    return found


class Migration(migrations.Migration):
    dependencies = [("ladder", "0007_accounts")]
    operations = [
        migrations.CreateModel(
            "SigningKey",
            [
                ("id", models.CharField(max_length=16, primary_key=True, serialize=False)),
                ("public_key", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
        ),
        migrations.RunPython(add_incidents, migrations.RunPython.noop),
    ]
