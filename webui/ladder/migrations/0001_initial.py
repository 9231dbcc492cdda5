"""Create all tables, and what Django's models cannot express: triggers, a row policy, and the table of the cache.

`makemigrations` writes the operations of the models. What stands above `Migration` is written by hand.
"""

from typing import Any

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models

SAME = " AND ".join(
    f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in ("id", "at", "actor_id", "account_id", "act")
)
FORGETS = (
    f"{SAME} AND NEW.address = '' AND (NEW.subject = '' OR NEW.subject = OLD.subject) "
    "AND (NEW.reason = '' OR NEW.reason = OLD.reason) "
    "AND (NEW.changes IS NULL OR NEW.changes IS NOT DISTINCT FROM OLD.changes)"
)
"""The only changes of an audit entry that are allowed: its address is emptied, or all its text when an account is
erased."""

AUDIT_GUARDS = {
    "sqlite": (
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            WHEN NOT ({FORGETS.replace("IS NOT DISTINCT FROM", "IS")})
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON ladder_auditentry
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON ladder_auditentry
            FOR EACH ROW WHEN (NOT ({FORGETS})) EXECUTE FUNCTION audit_is_append_only()""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON ladder_auditentry
            FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()""",
    ),
}
"""Triggers by which the database itself refuses all other changes of the audit log."""

OFFER_GUARDS = {
    "sqlite": (
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE ON ladder_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
        """CREATE TRIGGER offer_is_not_deleted BEFORE DELETE ON ladder_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION offers_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the log of offers is append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE OR DELETE ON ladder_offerentry
            FOR EACH ROW EXECUTE FUNCTION offers_are_append_only()""",
    ),
}
"""Triggers by which the database itself refuses changes of the log of offers."""

FACT_GUARDS = {
    "sqlite": (
        """CREATE TRIGGER fact_is_not_changed BEFORE UPDATE ON ladder_factrow
            BEGIN SELECT RAISE(ABORT, 'the facts of events are append-only'); END""",
        """CREATE TRIGGER fact_is_not_deleted BEFORE DELETE ON ladder_factrow
            BEGIN SELECT RAISE(ABORT, 'the facts of events are append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION facts_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the facts of events are append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER fact_is_not_changed BEFORE UPDATE OR DELETE ON ladder_factrow
            FOR EACH ROW EXECUTE FUNCTION facts_are_append_only()""",
    ),
}
"""Triggers by which the database itself refuses changes of the facts of events."""

MATCH_GUARDS = {
    "sqlite": (),
    "postgresql": (
        # PostgreSQL keeps the logs of running matches from every role but the owner of the table.
        "ALTER TABLE ladder_logrow ENABLE ROW LEVEL SECURITY",
        """CREATE POLICY logs_of_ended_matches ON ladder_logrow FOR SELECT USING (EXISTS (
            SELECT 1 FROM ladder_match WHERE ladder_match.id = ladder_logrow.match_id AND finished_at IS NOT NULL))""",
        # Every decision updates the row of its match: free space on the page keeps the update out of the indexes.
        "ALTER TABLE ladder_match SET (fillfactor = 80)",
    ),
}
"""What PostgreSQL knows of the tables of matches beyond their columns."""


def guard(apps: Any, schema_editor: Any) -> None:
    """Create triggers, row policy and storage parameters."""
    for guards in (AUDIT_GUARDS, OFFER_GUARDS, FACT_GUARDS, MATCH_GUARDS):
        for statement in guards[schema_editor.connection.vendor]:
            schema_editor.execute(statement, params=None)


def create_cache(apps: Any, schema_editor: Any) -> None:
    """Create the table of Django's cache."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('look', models.CharField(editable=False, max_length=400, unique=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('slug', models.SlugField(max_length=40, unique=True)),
                ('look', models.CharField(editable=False, max_length=400, unique=True)),
                ('description', models.TextField(blank=True, max_length=500)),
                ('state', models.CharField(choices=[('ACTIVE', 'Active'), ('PAUSED', 'Paused'), ('LOCKED', 'Locked')], default='ACTIVE', max_length=8)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('is_house', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='DoctorRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('looked_at', models.JSONField()),
                ('found', models.PositiveIntegerField()),
                ('findings', models.JSONField()),
                ('skipped', models.PositiveIntegerField()),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
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
            name='FairnessReport',
            fields=[
                ('date', models.DateField(primary_key=True, serialize=False)),
                ('folded', models.PositiveIntegerField(default=0)),
                ('last_at', models.DateTimeField(blank=True, null=True)),
                ('last_id', models.CharField(blank=True, default='', max_length=32)),
                ('is_closed', models.BooleanField(default=False)),
                ('tallies', models.JSONField()),
                ('document', models.JSONField()),
                ('made_at', models.DateTimeField()),
                ('pairs', models.JSONField(null=True)),
            ],
            options={
                'ordering': ['-date'],
            },
        ),
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
                ('replaces', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replaced_by', to='ladder.match')),
            ],
            options={
                'verbose_name_plural': 'matches',
            },
        ),
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('ruleset', models.JSONField()),
                ('clock', models.JSONField()),
                ('key', models.CharField(max_length=200, unique=True)),
                ('finished', models.PositiveIntegerField(default=0)),
                ('delay', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Decisions that spectators of a running match see late; all at its end.')),
            ],
        ),
        migrations.CreateModel(
            name='OverheadSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
                ('counts', models.JSONField()),
            ],
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
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('prefix', models.CharField(max_length=16)),
                ('label', models.CharField(blank=True, db_default='', max_length=40)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('last_address', models.CharField(blank=True, db_default='', max_length=64)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='api_tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='BotPresence',
            fields=[
                ('bot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='presence', serialize=False, to='ladder.bot')),
                ('is_online', models.BooleanField(default=True)),
                ('misses', models.PositiveSmallIntegerField(default=0)),
                ('changes', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='BotNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'None'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('about', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('compared', 'Compared'), ('taken_off', 'Taken Off'), ('webhook_off', 'Webhook Off'), ('digest', 'Digest'), ('message', 'Message'), ('password_link', 'Password Link'), ('locked', 'Locked'), ('unlocked', 'Unlocked')], max_length=16)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bot_notices', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='BotToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('prefix', models.CharField(max_length=16)),
                ('label', models.CharField(blank=True, db_default='', max_length=40)),
                ('scopes', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('last_used_at', models.DateTimeField(blank=True, null=True)),
                ('last_address', models.CharField(blank=True, db_default='', max_length=64)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='ladder.bot')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='BotVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('note', models.TextField(blank=True, max_length=500, null=True)),
                ('is_ready', models.BooleanField(db_default=False, default=False)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='ladder.bot')),
            ],
        ),
        migrations.CreateModel(
            name='Challenge',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('ruleset', models.JSONField()),
                ('state', models.CharField(choices=[('WAITING', 'Waiting'), ('MATCHED', 'Matched'), ('EXPIRED', 'Expired'), ('WITHDRAWN', 'Withdrawn'), ('REFUSED', 'Refused')], default='WAITING', max_length=10)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ChallengeSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ladder.bot')),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='ladder.challenge')),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ladder.botversion')),
            ],
        ),
        migrations.CreateModel(
            name='Comparison',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('ruleset', models.JSONField()),
                ('margin', models.FloatField()),
                ('most', models.PositiveIntegerField()),
                ('scores', models.JSONField(default=list)),
                ('length', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('RUNNING', 'Running'), ('YES', 'Yes'), ('NO', 'No'), ('OPEN', 'Open'), ('STOPPED', 'Stopped'), ('IDLE', 'Idle'), ('FAILED', 'Failed')], default='RUNNING', max_length=8)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('moved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('new', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ladder.botversion')),
                ('old', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ladder.botversion')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='DataFile',
            fields=[
                ('name', models.CharField(max_length=60, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('replays', 'Replays'), ('matches', 'Matches'), ('decisions', 'Decisions')], max_length=12)),
                ('date', models.DateField()),
                ('size', models.BigIntegerField(null=True)),
                ('sha256', models.CharField(blank=True, default='', max_length=64)),
                ('rows', models.BigIntegerField(null=True)),
                ('published_at', models.DateTimeField(null=True)),
                ('owner', models.CharField(blank=True, default='', max_length=32)),
                ('lease_expires_at', models.DateTimeField(null=True)),
            ],
            options={
                'ordering': ['-date', 'kind'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'date'), name='data_file_once_a_time'), models.CheckConstraint(condition=models.Q(models.Q(('published_at__isnull', False), ('rows__isnull', False), ('size__isnull', False), models.Q(('sha256', ''), _negated=True)), models.Q(('published_at', None), ('rows', None), ('sha256', ''), ('size', None)), _connector='OR'), name='data_file_published_whole'), models.CheckConstraint(condition=models.Q(models.Q(('lease_expires_at', None), ('owner', '')), models.Q(models.Q(('owner', ''), _negated=True), ('lease_expires_at__isnull', False)), _connector='OR'), name='data_file_owned_for_a_time')],
            },
        ),
        migrations.CreateModel(
            name='EventSecret',
            fields=[
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='secret', serialize=False, to='ladder.eventrow')),
                ('seed', models.CharField(max_length=64)),
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
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='ladder.bot')),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bots', to='ladder.eventrow')),
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
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='facts', to='ladder.eventrow')),
            ],
            options={
                'ordering': ['event', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Follow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='followers', to=settings.AUTH_USER_MODEL)),
                ('bot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='followers', to='ladder.bot')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='follows', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='HeldMatch',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='held_back', serialize=False, to='ladder.match')),
            ],
        ),
        migrations.CreateModel(
            name='HelpMeasure',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='help_measure', serialize=False, to='ladder.match')),
                ('finished_at', models.DateTimeField(db_index=True)),
                ('helps', models.JSONField()),
            ],
            options={
                'ordering': ['-finished_at'],
            },
        ),
        migrations.CreateModel(
            name='MatchRecord',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='record', serialize=False, to='ladder.match')),
                ('packed', models.BinaryField()),
                ('sha256', models.CharField(blank=True, db_default='', default='', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='MatchSecret',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='secret', serialize=False, to='ladder.match')),
                ('server_seed', models.CharField(max_length=64)),
                ('deal', models.CharField(blank=True, default='', max_length=64)),
            ],
        ),
        migrations.CreateModel(
            name='PackedLog',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='packed_log', serialize=False, to='ladder.match')),
                ('packed', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='Story',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='story', serialize=False, to='ladder.match')),
                ('version', models.PositiveSmallIntegerField()),
                ('day', models.DateField()),
                ('excitement', models.FloatField()),
                ('lead_changes', models.PositiveSmallIntegerField()),
                ('margin', models.PositiveSmallIntegerField()),
                ('winners', models.JSONField()),
                ('decided_by', models.CharField(max_length=8)),
                ('decided_what', models.CharField(blank=True, default='', max_length=20)),
                ('packed', models.BinaryField()),
            ],
            options={
                'verbose_name_plural': 'stories',
            },
        ),
        migrations.CreateModel(
            name='FeaturedMatch',
            fields=[
                ('number', models.PositiveIntegerField(primary_key=True, serialize=False)),
                ('begins_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('was_live', models.BooleanField()),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='featured', to='ladder.match')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('matches', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='ladder.botversion')),
                ('examination', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='examination', to='ladder.match')),
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
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='ladder.eventrow')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='event_match', to='ladder.match')),
            ],
        ),
        migrations.CreateModel(
            name='ComparisonMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('block', models.PositiveIntegerField()),
                ('game', models.PositiveSmallIntegerField()),
                ('tries', models.PositiveSmallIntegerField()),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='ladder.comparison')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_match', to='ladder.match')),
            ],
        ),
        migrations.CreateModel(
            name='ChallengeMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tries', models.PositiveSmallIntegerField(default=1)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='ladder.challenge')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='challenge_match', to='ladder.match')),
            ],
        ),
        migrations.AddField(
            model_name='match',
            name='ladder',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='matches', to='ladder.ladder'),
        ),
        migrations.CreateModel(
            name='Fit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('clock', models.CharField(blank=True, max_length=200, null=True, unique=True)),
                ('finished', models.PositiveIntegerField(default=0)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('terms', models.JSONField(default=dict)),
                ('ladder', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='fit', to='ladder.ladder')),
            ],
        ),
        migrations.CreateModel(
            name='LadderTerms',
            fields=[
                ('game', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('is_open', models.BooleanField()),
                ('share', models.PositiveSmallIntegerField()),
                ('clock', models.JSONField()),
                ('revision', models.PositiveIntegerField()),
            ],
            options={
                'verbose_name_plural': 'terms of ladders',
                'constraints': [models.CheckConstraint(condition=models.Q(('share__gte', 1), ('share__lte', 100)), name='ladder_share_in_range'), models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='ladder_revision_from_one')],
            },
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
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='log', to='ladder.match')),
            ],
            options={
                'ordering': ['match', 'number'],
            },
        ),
        migrations.CreateModel(
            name='MatchOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('void', 'Void'), ('void_again', 'Void Again'), ('again', 'Again')], max_length=12)),
                ('reason', models.CharField(max_length=200)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('refused', 'Refused')], default='waiting', max_length=8)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='ladder.match')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'None'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('soon', 'Soon'), ('check_in', 'Check In'), ('withdrawn', 'Withdrawn'), ('disqualified', 'Disqualified'), ('absent', 'Absent'), ('drawn', 'Drawn'), ('told', 'Told'), ('finished', 'Finished'), ('invited', 'Invited'), ('asked', 'Asked')], max_length=16)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='ladder.eventrow')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='OfferEntry',
            fields=[
                ('number', models.PositiveIntegerField(primary_key=True, serialize=False)),
                ('document', models.TextField()),
                ('key', models.CharField(max_length=16)),
                ('signature', models.CharField(max_length=128)),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='offer', to='ladder.match')),
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
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participants', to='ladder.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='ladder.botversion')),
            ],
            options={
                'ordering': ['match', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='PublishedRating',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_current', models.BooleanField()),
                ('finished', models.PositiveIntegerField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('points', models.FloatField()),
                ('low', models.FloatField()),
                ('high', models.FloatField()),
                ('games', models.PositiveIntegerField()),
                ('forfeits', models.PositiveIntegerField()),
                ('trend', models.JSONField()),
                ('rank', models.PositiveIntegerField(blank=True, null=True)),
                ('best_rank', models.PositiveIntegerField(blank=True, null=True)),
                ('worst_rank', models.PositiveIntegerField(blank=True, null=True)),
                ('better', models.FloatField(blank=True, null=True)),
                ('is_settled', models.BooleanField(default=False)),
                ('games_needed', models.PositiveIntegerField(blank=True, null=True)),
                ('fit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='ladder.fit')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='published', to='ladder.botversion')),
            ],
            options={
                'ordering': ['fit', '-points', 'version'],
            },
        ),
        migrations.CreateModel(
            name='RatingEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('seat', models.PositiveSmallIntegerField()),
                ('placement', models.PositiveSmallIntegerField()),
                ('mu_before', models.FloatField()),
                ('sigma_before', models.FloatField()),
                ('mu', models.FloatField()),
                ('sigma', models.FloatField()),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='ladder.ladder')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rating_entries', to='ladder.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rating_entries', to='ladder.botversion')),
            ],
            options={
                'verbose_name_plural': 'rating entries',
                'ordering': ['ladder', 'number', 'seat'],
            },
        ),
        migrations.CreateModel(
            name='RunningProcess',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('site', 'Site'), ('gateway', 'Gateway'), ('referee', 'Referee'), ('upkeep', 'Upkeep')], max_length=8)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('version', models.CharField(blank=True, db_default='', max_length=80)),
            ],
            options={
                'verbose_name_plural': 'running processes',
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['site', 'gateway', 'referee', 'upkeep'])), name='process_kind_known')],
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
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='spectator_rows', to='ladder.match')),
            ],
            options={
                'ordering': ['match', 'ply'],
            },
        ),
        migrations.CreateModel(
            name='Standing',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('mu', models.FloatField()),
                ('sigma', models.FloatField()),
                ('games', models.PositiveIntegerField()),
                ('number', models.PositiveIntegerField()),
                ('wins', models.PositiveIntegerField(db_default=0)),
                ('seats', models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ('trend', models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='ladder.ladder')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='ladder.botversion')),
            ],
        ),
        migrations.CreateModel(
            name='StatusHour',
            fields=[
                ('hour', models.DateTimeField(primary_key=True, serialize=False)),
                ('last_minute', models.SmallIntegerField(default=-1)),
                ('looks', models.PositiveSmallIntegerField(default=0)),
                ('degraded', models.PositiveSmallIntegerField(default=0)),
                ('down', models.PositiveSmallIntegerField(default=0)),
                ('parts', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-hour'],
                'constraints': [models.CheckConstraint(condition=models.Q(('last_minute__lte', 59), ('looks__gte', django.db.models.expressions.CombinedExpression(models.F('degraded'), '+', models.F('down'))), ('looks__lte', 60)), name='status_hour_counts')],
            },
        ),
        migrations.CreateModel(
            name='UserSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('session_key', models.CharField(max_length=40, unique=True)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('agent', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('kinds', models.JSONField()),
                ('secret', models.CharField(max_length=250)),
                ('former_secret', models.CharField(blank=True, default='', max_length=250)),
                ('former_until', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('off', models.CharField(blank=True, choices=[('', 'Not Off'), ('owner', 'Owner'), ('gone', 'Gone'), ('failing', 'Failing')], default='', max_length=8)),
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('bot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='ladder.bot')),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='ladder.eventrow')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message', models.CharField(max_length=40, unique=True)),
                ('kind', models.CharField(choices=[('match.finished', 'Match Finished'), ('bot.fault', 'Bot Fault'), ('bot.offline', 'Bot Offline'), ('bot.online', 'Bot Online'), ('version.taken_off', 'Version Taken Off'), ('event.round_drawn', 'Round Drawn'), ('event.results_revealed', 'Results Revealed'), ('event.finished', 'Event Finished'), ('webhook.test', 'Test')], max_length=24)),
                ('about', models.CharField(max_length=80)),
                ('body', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('state', models.CharField(choices=[('due', 'Due'), ('received', 'Received'), ('failed', 'Failed')], default='due', max_length=8)),
                ('next_at', models.DateTimeField(blank=True, null=True)),
                ('until', models.DateTimeField()),
                ('tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('status', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('answer', models.CharField(blank=True, default='', max_length=500)),
                ('failure', models.CharField(blank=True, default='', max_length=16)),
                ('detail', models.CharField(blank=True, default='', max_length=200)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='ladder.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
            },
        ),
        migrations.CreateModel(
            name='MailChoice',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_choice', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('is_wanted', models.BooleanField(default=True)),
                ('language', models.CharField(blank=True, default='', max_length=8)),
                ('wants_digest', models.BooleanField(db_default=False, default=False)),
                ('digested_on', models.DateField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('wants_digest', True)), fields=['digested_on'], name='digest_due')],
            },
        ),
        migrations.CreateModel(
            name='ApiRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=255)),
                ('digest', models.CharField(max_length=64)),
                ('status', models.PositiveSmallIntegerField()),
                ('answer', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True, editable=False)),
                ('user', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('user', 'key'), name='api_request_once')],
            },
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('act', models.CharField(max_length=24)),
                ('subject', models.CharField(blank=True, max_length=200)),
                ('reason', models.CharField(blank=True, db_default='', max_length=200)),
                ('changes', models.JSONField(blank=True, null=True)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('account', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'indexes': [models.Index(fields=['account', '-id'], name='audit_of_account'), models.Index(condition=models.Q(('address', ''), _negated=True), fields=['at'], name='audit_with_address'), models.Index(fields=['act', '-id'], name='audit_of_act'), models.Index(fields=['actor', '-id'], name='audit_of_actor')],
            },
        ),
        migrations.CreateModel(
            name='ChallengeTerms',
            fields=[
                ('bot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='challenge_terms', serialize=False, to='ladder.bot')),
                ('accepts', models.CharField(choices=[('NEVER', 'Never'), ('FRIENDS', 'Friends'), ('ALL', 'All')], default='NEVER', max_length=8)),
                ('at_once', models.PositiveSmallIntegerField(default=1)),
                ('friends', models.ManyToManyField(blank=True, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.UniqueConstraint(fields=('name',), name='bot_name_once'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['ACTIVE', 'PAUSED', 'LOCKED'])), name='bot_state_known'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.CheckConstraint(condition=models.Q(('slug', ''), _negated=True), name='bot_has_slug'),
        ),
        migrations.AddConstraint(
            model_name='bot',
            constraint=models.CheckConstraint(condition=models.Q(('retired_at', None), models.Q(('state', 'ACTIVE'), _negated=True), _connector='OR'), name='bot_retired_is_inactive'),
        ),
        migrations.AddIndex(
            model_name='botnotice',
            index=models.Index(fields=['user', '-id'], name='bot_notice_of_user'),
        ),
        migrations.AddIndex(
            model_name='botnotice',
            index=models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='bot_notice_to_mail'),
        ),
        migrations.AddIndex(
            model_name='botnotice',
            index=models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='bot_notice_unread'),
        ),
        migrations.AddConstraint(
            model_name='botnotice',
            constraint=models.UniqueConstraint(fields=('user', 'about', 'kind', 'number'), name='bot_notice_once'),
        ),
        migrations.AddConstraint(
            model_name='botnotice',
            constraint=models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='bot_notice_mail_known'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(fields=('bot', 'name'), name='version_once_a_bot'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='version_has_name'),
        ),
        migrations.AddIndex(
            model_name='challenge',
            index=models.Index(condition=models.Q(('state', 'WAITING')), fields=['created_at'], name='challenge_waiting'),
        ),
        migrations.AddIndex(
            model_name='challenge',
            index=models.Index(fields=['owner', '-created_at'], name='challenge_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['WAITING', 'MATCHED', 'EXPIRED', 'WITHDRAWN', 'REFUSED'])), name='challenge_state_known'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'WAITING')), models.Q(models.Q(('state', 'WAITING'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='challenge_end_known'),
        ),
        migrations.AddConstraint(
            model_name='challengeseat',
            constraint=models.UniqueConstraint(fields=('challenge', 'seat'), name='challenge_seat_once'),
        ),
        migrations.AddConstraint(
            model_name='challengeseat',
            constraint=models.CheckConstraint(condition=models.Q(('seat__gte', 1), ('seat__lte', 5)), name='challenge_seat_exists'),
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['state', 'moved_at'], name='comparison_by_state'),
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['owner', '-created_at'], name='comparison_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['RUNNING', 'YES', 'NO', 'OPEN', 'STOPPED', 'IDLE', 'FAILED'])), name='comparison_state_known'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'RUNNING')), models.Q(models.Q(('state', 'RUNNING'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='comparison_end_known'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('new', models.F('old')), _negated=True), name='comparison_of_two'),
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
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('author__isnull', False), ('bot__isnull', True)), models.Q(('author__isnull', True), ('bot__isnull', False)), _connector='OR'), name='follow_of_one'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.UniqueConstraint(fields=('user', 'bot'), name='follow_bot_once'),
        ),
        migrations.AddConstraint(
            model_name='follow',
            constraint=models.UniqueConstraint(fields=('user', 'author'), name='follow_author_once'),
        ),
        migrations.AddField(
            model_name='heldmatch',
            name='file',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='late_matches', to='ladder.datafile'),
        ),
        migrations.AddIndex(
            model_name='story',
            index=models.Index(fields=['day', '-excitement'], name='story_best_of_day'),
        ),
        migrations.AddIndex(
            model_name='story',
            index=models.Index(fields=['version', 'day'], name='story_by_version'),
        ),
        migrations.AddConstraint(
            model_name='story',
            constraint=models.CheckConstraint(condition=models.Q(('excitement__gte', 0), ('excitement__lte', 1)), name='story_excitement_in_range'),
        ),
        migrations.AddConstraint(
            model_name='story',
            constraint=models.CheckConstraint(condition=models.Q(('decided_by__in', ['NOTHING', 'DJINN', 'TILE', 'SOURCE', 'FORFEIT', 'TIE'])), name='story_decided_by_known'),
        ),
        migrations.AddConstraint(
            model_name='story',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by__in', ['DJINN', 'TILE', 'SOURCE']), models.Q(('decided_what', ''), _negated=True)), models.Q(models.Q(('decided_by__in', ['DJINN', 'TILE', 'SOURCE']), _negated=True), ('decided_what', '')), _connector='OR'), name='story_decided_by_something'),
        ),
        migrations.AddConstraint(
            model_name='featuredmatch',
            constraint=models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('begins_at')), ('ends_at', None), _connector='OR'), name='featured_for_a_time'),
        ),
        migrations.AddConstraint(
            model_name='featuredmatch',
            constraint=models.CheckConstraint(condition=models.Q(('ends_at__isnull', False), ('was_live', True), _connector='OR'), name='featured_open_if_live'),
        ),
        migrations.AddConstraint(
            model_name='featuredmatch',
            constraint=models.UniqueConstraint(condition=models.Q(('ends_at', None)), fields=('was_live',), name='featured_open_once'),
        ),
        migrations.AddConstraint(
            model_name='exclusion',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('version',), name='exclusion_once_a_version'),
        ),
        migrations.AddConstraint(
            model_name='eventmatch',
            constraint=models.UniqueConstraint(fields=('event', 'round', 'table', 'game', 'attempt', 'tries'), name='event_match_once'),
        ),
        migrations.AddConstraint(
            model_name='comparisonmatch',
            constraint=models.UniqueConstraint(fields=('comparison', 'block', 'game', 'tries'), name='comparison_match_once'),
        ),
        migrations.AddConstraint(
            model_name='challengematch',
            constraint=models.UniqueConstraint(fields=('challenge', 'tries'), name='challenge_match_once'),
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
            model_name='fit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('clock__isnull', True), ('ladder__isnull', False)), models.Q(('clock__isnull', False), ('ladder__isnull', True)), _connector='OR'), name='fit_of_one_list'),
        ),
        migrations.AddConstraint(
            model_name='logrow',
            constraint=models.UniqueConstraint(fields=('match', 'number'), name='log_number_once_a_match'),
        ),
        migrations.AddIndex(
            model_name='matchorder',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['id'], name='order_waiting'),
        ),
        migrations.AddConstraint(
            model_name='matchorder',
            constraint=models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('match',), name='order_once_a_match'),
        ),
        migrations.AddConstraint(
            model_name='matchorder',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['void', 'void_again', 'again'])), name='order_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='matchorder',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'waiting')), models.Q(('address', ''), ('ended_at__isnull', False), ('state__in', ['done', 'refused'])), _connector='OR'), name='order_end_known'),
        ),
        migrations.AddConstraint(
            model_name='matchorder',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='order_has_reason'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(fields=['user', '-id'], name='notice_of_user'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='notice_to_mail'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='notice_unread'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(fields=('user', 'event', 'kind', 'number'), name='notice_once'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['soon', 'check_in', 'withdrawn', 'disqualified', 'absent', 'drawn', 'told', 'finished', 'invited', 'asked'])), name='notice_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='notice_mail_known'),
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
        migrations.AddIndex(
            model_name='publishedrating',
            index=models.Index(condition=models.Q(('is_current', True)), fields=['version'], name='published_now'),
        ),
        migrations.AddConstraint(
            model_name='publishedrating',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('fit', 'version'), name='published_current'),
        ),
        migrations.AddConstraint(
            model_name='publishedrating',
            constraint=models.UniqueConstraint(fields=('fit', 'version', 'finished'), name='published_once_a_fit'),
        ),
        migrations.AddConstraint(
            model_name='publishedrating',
            constraint=models.CheckConstraint(condition=models.Q(('forfeits__lte', models.F('games')), ('games__gte', 1)), name='published_games'),
        ),
        migrations.AddConstraint(
            model_name='publishedrating',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('best_rank__isnull', True), ('rank__isnull', True), ('worst_rank__isnull', True)), models.Q(('rank__gte', models.F('best_rank')), ('rank__lte', models.F('worst_rank'))), _connector='OR'), name='published_rank_in_its_interval'),
        ),
        migrations.AddIndex(
            model_name='ratingentry',
            index=models.Index(fields=['ladder', 'version', '-number'], name='entry_of_version'),
        ),
        migrations.AddConstraint(
            model_name='ratingentry',
            constraint=models.UniqueConstraint(fields=('ladder', 'number', 'seat'), name='entry_once_a_seat'),
        ),
        migrations.AddConstraint(
            model_name='ratingentry',
            constraint=models.UniqueConstraint(fields=('match', 'seat'), name='entry_once_a_match'),
        ),
        migrations.AddConstraint(
            model_name='ratingentry',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='entry_number_from_one'),
        ),
        migrations.AddConstraint(
            model_name='ratingentry',
            constraint=models.CheckConstraint(condition=models.Q(('sigma__gt', 0), ('sigma_before__gt', 0)), name='entry_sigma_positive'),
        ),
        migrations.AddConstraint(
            model_name='spectatorrow',
            constraint=models.UniqueConstraint(fields=('match', 'ply'), name='spectator_ply_once_a_match'),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(models.F('ladder'), models.OrderBy(models.F('mu'), descending=True), name='standing_by_mu'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.UniqueConstraint(fields=('ladder', 'version'), name='standing_once_a_version'),
        ),
        migrations.AddConstraint(
            model_name='standing',
            constraint=models.CheckConstraint(condition=models.Q(('games__gte', 1)), name='standing_has_played'),
        ),
        migrations.AddIndex(
            model_name='usersession',
            index=models.Index(fields=['user', '-seen_at'], name='session_of_user'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(('off__in', ['', 'owner', 'gone', 'failing'])), name='webhook_off_known'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(('secret', ''), _negated=True), name='webhook_has_secret'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('former_secret', ''), ('former_until', None)), models.Q(models.Q(('former_secret', ''), _negated=True), ('former_until__isnull', False)), _connector='OR'), name='webhook_former_secret_ends'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state', 'due')), fields=['next_at'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['webhook', '-id'], name='delivery_of_webhook'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('webhook', 'kind', 'about'), name='delivery_once'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['match.finished', 'bot.fault', 'bot.offline', 'bot.online', 'version.taken_off', 'event.round_drawn', 'event.results_revealed', 'event.finished', 'webhook.test'])), name='delivery_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('next_at__isnull', False), ('state', 'due')), models.Q(('next_at__isnull', True), ('state__in', ['received', 'failed'])), _connector='OR'), name='delivery_next_while_due'),
        ),
        migrations.AddConstraint(
            model_name='challengeterms',
            constraint=models.CheckConstraint(condition=models.Q(('accepts__in', ['NEVER', 'FRIENDS', 'ALL'])), name='challenge_accepts_known'),
        ),
        migrations.AddConstraint(
            model_name='challengeterms',
            constraint=models.CheckConstraint(condition=models.Q(('at_once__gte', 1), ('at_once__lte', 4)), name='challenge_at_once_in_range'),
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
        migrations.RunPython(create_cache, migrations.RunPython.noop),
    ]
