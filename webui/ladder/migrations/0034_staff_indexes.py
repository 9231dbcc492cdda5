"""What staff look for in long tables."""

from django.db import migrations, models

from webui.ladder.quiet_index import AddIndexQuietly


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ladder", "0033_staff")]

    operations = [
        migrations.AlterModelOptions("delivery", {"verbose_name_plural": "deliveries"}),
        migrations.AlterModelOptions("runningprocess", {"verbose_name_plural": "running processes"}),
        AddIndexQuietly(
            model_name="auditentry", index=models.Index(fields=["act", "-id"], name="audit_of_act")
        ),
        AddIndexQuietly(
            model_name="auditentry", index=models.Index(fields=["actor", "-id"], name="audit_of_actor")
        ),
        AddIndexQuietly(
            model_name="participant",
            index=models.Index(
                fields=["-id"], name="participant_forfeited", condition=~models.Q(forfeit_reason="")
            ),
        ),
    ]
