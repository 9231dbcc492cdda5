"""What staff do: orders about matches, terms of ladders, locked bots, why and what changed in the audit log; and what
they look at: since when a process runs and of which version it is, and what the nightly doctor found."""

from importlib import import_module
from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

SAME = " AND ".join(
    f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in ("id", "at", "actor_id", "account_id", "act")
)
FORGETS = (
    f"{SAME} AND NEW.address = '' AND (NEW.subject = '' OR NEW.subject = OLD.subject) "
    "AND (NEW.reason = '' OR NEW.reason = OLD.reason) "
    "AND (NEW.changes IS NULL OR NEW.changes IS NOT DISTINCT FROM OLD.changes)"
)
"""The changes that are let pass: the address is emptied, or all words when an account is erased."""

GUARDS = {
    # Columns may have been added by making the table anew, without its triggers.
    "sqlite": (
        "DROP TRIGGER IF EXISTS audit_is_not_changed",
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            WHEN NOT ({FORGETS.replace("IS NOT DISTINCT FROM", "IS")})
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
        "DROP TRIGGER IF EXISTS audit_is_not_deleted",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON ladder_auditentry
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    ),
    "postgresql": (
        f"""CREATE OR REPLACE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            FOR EACH ROW WHEN (NOT ({FORGETS})) EXECUTE FUNCTION audit_is_append_only()""",
    ),
}


def lock(apps: Any, schema_editor: Any) -> None:
    """Take the locks that the keys of the new tables need in the order of those who write: matches first."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("LOCK TABLE ladder_match, ladder_bot, ladder_user IN SHARE ROW EXCLUSIVE MODE")


def guard(apps: Any, schema_editor: Any) -> None:
    """Have the database itself refuse all other changes of the audit log, its new columns included."""
    for statement in GUARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


def guard_as_before(apps: Any, schema_editor: Any) -> None:
    """The trigger without the new columns, which cannot be dropped while it names them."""
    import_module("webui.ladder.migrations.0030_retention").guard(apps, schema_editor)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0032_stories")]

    operations = [
        migrations.RunPython(lock, migrations.RunPython.noop),
        migrations.AddField(
            model_name="auditentry",
            name="reason",
            field=models.CharField(blank=True, db_default="", max_length=200),
        ),
        migrations.AddField(
            model_name="auditentry", name="changes", field=models.JSONField(blank=True, null=True)
        ),
        migrations.RunPython(guard, guard_as_before),
        migrations.AddField(
            model_name="runningprocess", name="started_at", field=models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            model_name="runningprocess",
            name="version",
            field=models.CharField(blank=True, db_default="", max_length=80),
        ),
        migrations.CreateModel(
            name="DoctorRun",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("looked_at", models.JSONField()),
                ("found", models.PositiveIntegerField()),
                ("findings", models.JSONField()),
                ("skipped", models.PositiveIntegerField()),
            ],
            options={"ordering": ["-id"]},
        ),
        migrations.CreateModel(
            name="LadderTerms",
            fields=[
                ("game", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("is_open", models.BooleanField()),
                ("share", models.PositiveSmallIntegerField()),
                ("clock", models.JSONField()),
                ("revision", models.PositiveIntegerField()),
            ],
            options={
                "verbose_name_plural": "terms of ladders",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(share__gte=1, share__lte=100), name="ladder_share_in_range"
                    ),
                    models.CheckConstraint(condition=models.Q(revision__gte=1), name="ladder_revision_from_one"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MatchOrder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("void", "Void"), ("void_again", "Void Again"), ("again", "Again")], max_length=12
                    ),
                ),
                ("reason", models.CharField(max_length=200)),
                ("address", models.CharField(blank=True, max_length=64)),
                (
                    "at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("done", "Done"), ("refused", "Refused")],
                        default="waiting",
                        max_length=8,
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="orders", to="ladder.match"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(condition=models.Q(("state", "waiting")), fields=["id"], name="order_waiting")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "waiting")), fields=("match",), name="order_once_a_match"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["void", "void_again", "again"])), name="order_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at", None), ("state", "waiting")),
                            models.Q(
                                ("address", ""), ("ended_at__isnull", False), ("state__in", ["done", "refused"])
                            ),
                            _connector="OR",
                        ),
                        name="order_end_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="order_has_reason"
                    ),
                ],
            },
        ),
        migrations.AlterField(
            model_name="botnotice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("compared", "Compared"),
                    ("taken_off", "Taken Off"),
                    ("webhook_off", "Webhook Off"),
                    ("message", "Message"),
                    ("locked", "Locked"),
                    ("unlocked", "Unlocked"),
                ],
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="bot",
            name="state",
            field=models.CharField(
                choices=[("ACTIVE", "Active"), ("PAUSED", "Paused"), ("LOCKED", "Locked")],
                default="ACTIVE",
                max_length=8,
            ),
        ),
        migrations.RemoveConstraint(model_name="bot", name="bot_state_known"),
        migrations.AddConstraint(
            model_name="bot",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["ACTIVE", "PAUSED", "LOCKED"])), name="bot_state_known"
            ),
        ),
    ]
