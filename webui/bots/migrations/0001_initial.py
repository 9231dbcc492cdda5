import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('slug', models.SlugField(max_length=40, unique=True)),
                ('skeleton', models.CharField(db_column='look', editable=False, max_length=400, unique=True)),
                ('description', models.TextField(blank=True, max_length=500)),
                ('state', models.CharField(choices=[('ACTIVE', 'Active'), ('PAUSED', 'Paused'), ('LOCKED', 'Locked')], default='ACTIVE', max_length=8)),
                ('retired_at', models.DateTimeField(blank=True, null=True)),
                ('is_house', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bots', to=settings.AUTH_USER_MODEL)),
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
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='bots.bot')),
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
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='bots.bot')),
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
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(fields=('bot', 'name'), name='version_once_a_bot'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='version_has_name'),
        ),
    ]
