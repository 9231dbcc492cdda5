from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

SAME = " AND ".join(f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in ("id", "at", "actor_id", "account_id", "act"))
ERASES = f"{SAME} AND NEW.subject = '' AND NEW.address = ''"
"""The one change that is let pass: subject and address are emptied when an account is erased."""

GUARDS = {
    "sqlite": (
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            WHEN NOT ({ERASES.replace("IS NOT DISTINCT FROM", "IS")})
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON ladder_auditentry
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    ),
    "postgresql": (
        """CREATE OR REPLACE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            FOR EACH ROW WHEN (NOT ({ERASES})) EXECUTE FUNCTION audit_is_append_only()""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON ladder_auditentry
            FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()""",
    ),
}


def guard(apps: Any, schema_editor: Any) -> None:
    """Have the database itself refuse changes of the audit log."""
    for statement in GUARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0006_looks")]
    operations = [
        migrations.AddField("bottoken", "expires_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("bottoken", "label", models.CharField(blank=True, db_default="", max_length=40)),
        migrations.AddField("bottoken", "last_address", models.CharField(blank=True, db_default="", max_length=64)),
        migrations.CreateModel(
            "AuditEntry",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ("act", models.CharField(max_length=24)),
                ("subject", models.CharField(blank=True, max_length=200)),
                ("address", models.CharField(blank=True, max_length=64)),
                *(
                    (
                        name,
                        models.ForeignKey(
                            null=True,
                            on_delete=django.db.models.deletion.PROTECT,
                            related_name="+",
                            to=settings.AUTH_USER_MODEL,
                        ),
                    )
                    for name in ("account", "actor")
                ),
            ],
            {
                "verbose_name_plural": "audit entries",
                "indexes": [models.Index(fields=["account", "-id"], name="audit_of_account")],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
        migrations.CreateModel(
            "UserSession",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("session_key", models.CharField(max_length=40, unique=True)),
                ("address", models.CharField(blank=True, max_length=64)),
                ("agent", models.CharField(blank=True, max_length=200)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("seen_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sessions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            {"indexes": [models.Index(fields=["user", "-seen_at"], name="session_of_user")]},
        ),
    ]
