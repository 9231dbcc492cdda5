"""Create the tables of matches, and triggers, a row policy and storage parameters.

`makemigrations` writes the operations of the models. Everything above `Migration` is written by hand.
"""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

OFFER_GUARDS = {
    "sqlite": (
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE ON matches_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
        """CREATE TRIGGER offer_is_not_deleted BEFORE DELETE ON matches_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION offers_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the log of offers is append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE OR DELETE ON matches_offerentry
            FOR EACH ROW EXECUTE FUNCTION offers_are_append_only()""",
    ),
}
"""Triggers by which the database itself refuses changes of the log of offers."""

MATCH_GUARDS = {
    "sqlite": (),
    "postgresql": (
        # PostgreSQL keeps the logs of running matches from every role but the owner of the table.
        "ALTER TABLE matches_logrow ENABLE ROW LEVEL SECURITY",
        """CREATE POLICY logs_of_ended_matches ON matches_logrow FOR SELECT USING (EXISTS (
            SELECT 1 FROM matches_match WHERE matches_match.id = matches_logrow.match_id AND finished_at IS NOT NULL))""",
        # Every decision updates the row of its match: free space on the page keeps the update out of the indexes.
        "ALTER TABLE matches_match SET (fillfactor = 80)",
    ),
}
"""What PostgreSQL knows of the tables of matches beyond their columns."""


def guard(apps: Any, schema_editor: Any) -> None:
    """Create what Django's models cannot express: triggers, a row policy and storage parameters."""
    vendor = schema_editor.connection.vendor
    for statement in OFFER_GUARDS[vendor] + MATCH_GUARDS[vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('ladders', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Match',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('state', models.CharField(choices=[('SCHEDULED', 'Scheduled'), ('RUNNING', 'Running'), ('FINISHED', 'Finished'), ('ABORTED', 'Aborted'), ('VOID', 'Void')], default='SCHEDULED', max_length=12)),
                ('rules', models.CharField(max_length=40)),
                ('ruleset', models.JSONField()),
                ('clock', models.JSONField()),
                ('policy', models.JSONField()),
                ('commitment', models.CharField(max_length=64)),
                ('rated', models.BooleanField()),
                ('owner', models.CharField(blank=True, default='', max_length=64)),
                ('epoch', models.PositiveIntegerField(default=0)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('length', models.PositiveIntegerField(default=0)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('waits_since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('rung_at', models.DateTimeField(blank=True, null=True)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('ladder_number', models.PositiveIntegerField(blank=True, null=True)),
                ('verdict', models.JSONField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
                ('server_seed', models.CharField(blank=True, default='', max_length=64)),
                ('log_form', models.CharField(choices=[('ROWS', 'Rows'), ('PACKED', 'Packed'), ('KEPT', 'Kept')], db_default='ROWS', default='ROWS', max_length=8)),
                ('story_version', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('ladder', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='ladders.ladder')),
                ('replaces', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='matches.match')),
            ],
            options={
                'verbose_name_plural': 'matches',
            },
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.CharField(max_length=16, primary_key=True, serialize=False)),
                ('public_key', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='MatchRecord',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='record', serialize=False, to='matches.match')),
                ('packed', models.BinaryField()),
                ('sha256', models.CharField(blank=True, db_default='', default='', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='MatchSecret',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='secret', serialize=False, to='matches.match')),
                ('server_seed', models.CharField(max_length=64)),
                ('deal', models.CharField(blank=True, default='', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='PackedLog',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='packed_log', serialize=False, to='matches.match')),
                ('packed', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='LogRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('epoch', models.PositiveIntegerField()),
                ('kind', models.CharField(max_length=16)),
                ('seat', models.PositiveSmallIntegerField()),
                ('text', models.TextField(blank=True)),
                ('data', models.JSONField(blank=True, null=True)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='log', to='matches.match')),
            ],
            options={
                'ordering': ['match', 'number'],
            },
        ),
        migrations.CreateModel(
            name='OfferEntry',
            fields=[
                ('number', models.PositiveIntegerField(primary_key=True, serialize=False)),
                ('document', models.TextField()),
                ('key', models.CharField(max_length=16)),
                ('signature', models.CharField(max_length=128)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='offer', to='matches.match')),
            ],
            options={
                'verbose_name_plural': 'offer entries',
            },
        ),
        migrations.CreateModel(
            name='OfferHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('length', models.PositiveIntegerField(default=0)),
                ('digest', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='offer_head_once')],
            },
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('placement', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('rank', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('score', models.IntegerField(blank=True, null=True)),
                ('first_bid', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('rating', models.SmallIntegerField(blank=True, null=True)),
                ('rating_low', models.SmallIntegerField(blank=True, null=True)),
                ('rating_high', models.SmallIntegerField(blank=True, null=True)),
                ('forfeited_at', models.PositiveIntegerField(blank=True, null=True)),
                ('forfeit_reason', models.CharField(blank=True, default='', max_length=40)),
                ('has_declined', models.BooleanField(default=False)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='bots.botversion')),
            ],
            options={
                'ordering': ['match', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='SpectatorRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ply', models.PositiveIntegerField()),
                ('index', models.PositiveIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('text', models.TextField(blank=True)),
                ('chance', models.JSONField()),
                ('view', models.BinaryField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='spectator_rows', to='matches.match')),
            ],
            options={
                'ordering': ['match', 'ply'],
            },
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['state', 'waits_since'], name='match_by_wait'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['-finished_at'], name='match_by_finish'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['state', 'finished_at', 'id'], name='match_by_state_and_finish'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['-created_at', '-id'], name='match_newest'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['state', '-created_at', '-id'], name='match_newest_by_state'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(fields=['ladder', '-created_at', '-id'], name='match_newest_by_ladder'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('state__in', ['VOID', 'ABORTED'])), fields=['ladder', '-created_at', '-id'], name='match_void_by_ladder'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('rated', False)), fields=['-created_at', '-id'], name='match_unrated'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('finished_at__isnull', False), ('log_form', 'ROWS')), fields=['finished_at'], name='match_log_to_pack'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('state', 'FINISHED'), ('story_version__isnull', True)), fields=['rules', '-finished_at'], name='match_without_story'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['SCHEDULED', 'RUNNING', 'FINISHED', 'ABORTED', 'VOID'])), name='match_state_known'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'RUNNING'), models.Q(('owner', ''), _negated=True), ('lease_expires_at__isnull', False)), models.Q(models.Q(('state', 'RUNNING'), _negated=True), ('lease_expires_at__isnull', True), ('owner', '')), _connector='OR'), name='match_owned_when_running'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['FINISHED', 'ABORTED', 'VOID']), ('finished_at__isnull', False)), models.Q(models.Q(('state__in', ['FINISHED', 'ABORTED', 'VOID']), _negated=True), ('finished_at__isnull', True), ('server_seed', ''), ('verdict__isnull', True)), _connector='OR'), name='match_seed_and_verdict_at_end'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ladder__isnull', False), ('rated', True)), models.Q(('ladder__isnull', True), ('rated', False)), _connector='OR'), name='match_rated_on_ladder'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ladder_number__isnull', False), ('rated', True), ('state', 'FINISHED')), models.Q(models.Q(('rated', True), ('state', 'FINISHED'), _negated=True), ('ladder_number__isnull', True)), _connector='OR'), name='match_number_when_rated_finish'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.UniqueConstraint(fields=('ladder', 'ladder_number'), name='match_number_once_a_ladder'),
        ),
        migrations.AddConstraint(
            model_name='logrow',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='log_number_once_a_match'),
        ),
        migrations.AddConstraint(
            model_name='offerentry',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='offer_number_from_1'),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(fields=['version', '-id'], name='participant_newest'),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(condition=models.Q(('has_declined', True)), fields=['version'], name='participant_declined'),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(condition=models.Q(('forfeit_reason', ''), _negated=True), fields=['-id'], name='participant_forfeited'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('match', 'seat'), name='participant_once_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.UniqueConstraint(fields=('match', 'version'), name='participant_once_a_match'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.CheckConstraint(condition=models.Q(('seat__gte', 1), ('seat__lte', 5)), name='participant_seat_exists'),
        ),
        migrations.AddConstraint(
            model_name='participant',
            constraint=models.CheckConstraint(condition=models.Q(('placement__isnull', True), models.Q(('placement__gte', 1), ('placement__lte', 5)), _connector='OR'), name='participant_placement_exists'),
        ),
        migrations.AddConstraint(
            model_name='spectatorrow',
            constraint=models.UniqueConstraint(fields=('match', 'ply'), name='spectator_ply_once_a_match'),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    ]
