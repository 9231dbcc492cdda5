"""Create the tables of events, and triggers of the log of facts.

`makemigrations` writes the operations of the models. What stands above `Migration` is written by hand.
"""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

FACT_GUARDS = {
    "sqlite": (
        """CREATE TRIGGER fact_is_not_changed BEFORE UPDATE ON events_factrow
            BEGIN SELECT RAISE(ABORT, 'the facts of events are append-only'); END""",
        """CREATE TRIGGER fact_is_not_deleted BEFORE DELETE ON events_factrow
            BEGIN SELECT RAISE(ABORT, 'the facts of events are append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION facts_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the facts of events are append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER fact_is_not_changed BEFORE UPDATE OR DELETE ON events_factrow
            FOR EACH ROW EXECUTE FUNCTION facts_are_append_only()""",
    ),
}
"""Triggers by which the database itself refuses changes of the facts of events."""


def guard(apps: Any, schema_editor: Any) -> None:
    """Create what Django's models cannot express: triggers of the log of facts."""
    vendor = schema_editor.connection.vendor
    for statement in FACT_GUARDS[vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('matches', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='EventRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=60, unique=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('length', models.PositiveIntegerField(default=0)),
                ('name', models.CharField(max_length=80)),
                ('state', models.CharField(choices=[('draft', 'draft'), ('open', 'open'), ('frozen', 'frozen'), ('running', 'running'), ('paused', 'paused'), ('finished', 'finished'), ('archived', 'archived'), ('cancelled', 'cancelled')], default='draft', max_length=12)),
                ('format', models.CharField(max_length=20)),
                ('players', models.PositiveSmallIntegerField()),
                ('entrants', models.PositiveIntegerField(default=0)),
                ('rounds', models.PositiveIntegerField(default=0)),
                ('hidden', models.BooleanField(default=False)),
                ('revealed', models.PositiveIntegerField(default=0)),
                ('asked', models.CharField(blank=True, default='', max_length=10)),
                ('asked_why', models.CharField(blank=True, default='', max_length=500)),
                ('advanced_at', models.DateTimeField(blank=True, null=True)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('helpers', models.ManyToManyField(blank=True, related_name='helps_with', to=settings.AUTH_USER_MODEL)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='EventSecret',
            fields=[
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='secret', serialize=False, to='events.eventrow')),
                ('seed', models.CharField(max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='EventMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('round', models.PositiveIntegerField()),
                ('table', models.PositiveIntegerField()),
                ('game', models.PositiveSmallIntegerField()),
                ('attempt', models.PositiveSmallIntegerField()),
                ('absent', models.JSONField(default=list)),
                ('tries', models.PositiveSmallIntegerField(default=1)),
                ('is_counted', models.BooleanField(default=False)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='event_match', to='matches.match')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='events.eventrow')),
            ],
        ),
        migrations.CreateModel(
            name='EventBot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('is_in', models.BooleanField(default=True)),
                ('away_since', models.DateTimeField(blank=True, null=True)),
                ('is_awaited', models.BooleanField(default=False)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='bots.bot')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bots', to='events.eventrow')),
            ],
        ),
        migrations.CreateModel(
            name='FactRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=16)),
                ('data', models.JSONField()),
                ('why', models.CharField(blank=True, max_length=500)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='facts', to='events.eventrow')),
            ],
            options={
                'ordering': ['event', 'number'],
            },
        ),
        migrations.AddIndex(
            model_name='eventrow',
            index=models.Index(fields=['state', '-created_at'], name='event_newest_by_state'),
        ),
        migrations.AddConstraint(
            model_name='eventrow',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['draft', 'open', 'frozen', 'running', 'paused', 'finished', 'archived', 'cancelled'])), name='event_state_known'),
        ),
        migrations.AddConstraint(
            model_name='eventrow',
            constraint=models.CheckConstraint(condition=models.Q(('asked__in', ['', 'publish', 'cancel'])), name='event_asked_known'),
        ),
        migrations.AddConstraint(
            model_name='eventrow',
            constraint=models.CheckConstraint(condition=models.Q(('slug', ''), _negated=True), name='event_has_slug'),
        ),
        migrations.AddConstraint(
            model_name='eventmatch',
            constraint=models.UniqueConstraint(fields=('event', 'round', 'table', 'game', 'attempt', 'tries'), name='event_match_once'),
        ),
        migrations.AddConstraint(
            model_name='eventbot',
            constraint=models.UniqueConstraint(fields=('event', 'number'), name='entrant_number_once_an_event'),
        ),
        migrations.AddConstraint(
            model_name='eventbot',
            constraint=models.UniqueConstraint(condition=models.Q(('is_in', True)), fields=('event', 'bot'), name='entrant_once_an_event'),
        ),
        migrations.AddConstraint(
            model_name='factrow',
            constraint=models.UniqueConstraint(fields=('event', 'number'), name='fact_number_once_an_event'),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    ]
