"""The history of an account lets go of addresses after a year: the database lets that change pass, and finds them."""

from typing import Any

from django.db import migrations, models

from webui.ladder.quiet_index import AddIndexQuietly

SAME = " AND ".join(
    f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in ("id", "at", "actor_id", "account_id", "act")
)
FORGETS = f"{SAME} AND NEW.address = '' AND (NEW.subject = '' OR NEW.subject = OLD.subject)"
"""The changes that are let pass: the address is emptied, or subject and address when an account is erased."""

GUARDS = {
    "sqlite": (
        "DROP TRIGGER IF EXISTS audit_is_not_changed",
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            WHEN NOT ({FORGETS.replace("IS NOT DISTINCT FROM", "IS")})
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    ),
    # Both in one statement: no change passes in between.
    "postgresql": (
        f"""CREATE OR REPLACE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            FOR EACH ROW WHEN (NOT ({FORGETS})) EXECUTE FUNCTION audit_is_append_only()""",
    ),
}


def guard(apps: Any, schema_editor: Any) -> None:
    """Have the database itself refuse all other changes of the audit log."""
    for statement in GUARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ladder", "0029_growth")]

    operations = [
        migrations.RunPython(guard, migrations.RunPython.noop),
        AddIndexQuietly(
            model_name="auditentry",
            index=models.Index(fields=["at"], name="audit_with_address", condition=~models.Q(address="")),
        ),
    ]
