"""What records of a former version lack. It may write some while a rolling update goes on, or after a rollback: so this
is done by a migration, and again by `arena admin complete`."""

from typing import Any

from django.apps import apps as django_apps

from arena.referee import SIGNATURE
from webui.ladder.records import pack_record, unpack_record


def complete_records(apps: Any = django_apps) -> int:
    """Add the incidents (strikes, absences, forfeits) in the log to the records that lack them, which could not be
    proved; return how many there were. A signed record is never touched: who signs writes incidents. `apps` has the
    models."""
    records, log = apps.get_model("ladder", "MatchRecord"), apps.get_model("ladder", "LogRow")
    troubled = log.objects.filter(kind__in=("fault", "forfeit", "back")).values("match_id")
    completed = 0
    for record in records.objects.filter(match_id__in=troubled).iterator():
        if not record.packed:
            continue  # it is in the store, where only what is proved goes
        document = unpack_record(bytes(record.packed))
        if "incidents" in document or SIGNATURE in document:
            continue
        entries = log.objects.filter(match_id=record.match_id).order_by("number")
        if incidents := _incidents(entries.values_list("kind", "seat", "text", "data")):
            record.packed = pack_record({**document, "incidents": incidents})
            record.save(update_fields=["packed"])
            completed += 1
    return completed


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
