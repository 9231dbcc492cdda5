"""Create the tables of accounts, and triggers of the audit log.

`makemigrations` writes the operations of the models. Everything above `Migration` is written by hand.
"""

from typing import Any

import django.contrib.auth.models
import django.contrib.auth.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
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
"""Condition of the only allowed changes of an audit entry: its address is emptied, or all its text is emptied when an
account is erased."""

AUDIT_GUARDS = {
    "sqlite": (
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON accounts_auditentry
            WHEN NOT ({FORGETS.replace("IS NOT DISTINCT FROM", "IS")})
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON accounts_auditentry
            BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the audit log is append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        f"""CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON accounts_auditentry
            FOR EACH ROW WHEN (NOT ({FORGETS})) EXECUTE FUNCTION audit_is_append_only()""",
        """CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON accounts_auditentry
            FOR EACH ROW EXECUTE FUNCTION audit_is_append_only()""",
    ),
}
"""Triggers by which the database itself refuses all other changes of the audit log."""


def guard(apps: Any, schema_editor: Any) -> None:
    """Create what Django's models cannot express: triggers of the audit log."""
    vendor = schema_editor.connection.vendor
    for statement in AUDIT_GUARDS[vendor]:
        schema_editor.execute(statement, params=None)


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
                ('skeleton', models.CharField(db_column='look', editable=False, max_length=400, unique=True)),
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
            options={
                'indexes': [models.Index(fields=['user', '-seen_at'], name='session_of_user')],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    ]
