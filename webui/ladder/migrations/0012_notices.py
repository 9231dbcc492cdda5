from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


def lock(apps: Any, schema_editor: Any) -> None:
    """Take the locks that the keys of the new tables need in the order of those who write: events first."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("LOCK TABLE ladder_eventrow, ladder_user IN SHARE ROW EXCLUSIVE MODE")


class Migration(migrations.Migration):

    dependencies = [
        ('ladder', '0011_events'),
    ]

    operations = [
        migrations.RunPython(lock, migrations.RunPython.noop),
        migrations.CreateModel(
            name='MailChoice',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_choice', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('is_wanted', models.BooleanField(default=True)),
                ('language', models.CharField(blank=True, default='', max_length=8)),
            ],
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('soon', 'Soon'), ('check_in', 'Check In'), ('withdrawn', 'Withdrawn'), ('disqualified', 'Disqualified'), ('absent', 'Absent'), ('drawn', 'Drawn'), ('told', 'Told'), ('finished', 'Finished'), ('invited', 'Invited'), ('asked', 'Asked')], max_length=16)),
                ('number', models.BigIntegerField()),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'None'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='ladder.eventrow')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='notice_of_user'), models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='notice_to_mail'), models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='notice_unread')],
                'constraints': [models.UniqueConstraint(fields=('user', 'event', 'kind', 'number'), name='notice_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['soon', 'check_in', 'withdrawn', 'disqualified', 'absent', 'drawn', 'told', 'finished', 'invited', 'asked'])), name='notice_kind_known'), models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='notice_mail_known')],
            },
        ),
    ]
