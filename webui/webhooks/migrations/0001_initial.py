import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('events', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BotPresence',
            fields=[
                ('bot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='presence', serialize=False, to='bots.bot')),
                ('is_online', models.BooleanField(default=True)),
                ('misses', models.PositiveSmallIntegerField(default=0)),
                ('changes', models.PositiveIntegerField(default=0)),
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
                ('bot', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='bots.bot')),
                ('event', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='events.eventrow')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message', models.CharField(max_length=40, unique=True)),
                ('kind', models.CharField(choices=[('match.finished', 'Match Finished'), ('bot.fault', 'Bot Fault'), ('bot.offline', 'Bot Offline'), ('bot.online', 'Bot Online'), ('version.taken_off', 'Version Taken Off'), ('submission.built', 'Submission Built'), ('submission.ready', 'Submission Ready'), ('submission.failed', 'Submission Failed'), ('event.round_drawn', 'Round Drawn'), ('event.results_revealed', 'Results Revealed'), ('event.finished', 'Event Finished'), ('webhook.test', 'Test')], max_length=24)),
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
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='webhooks.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
            },
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
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['match.finished', 'bot.fault', 'bot.offline', 'bot.online', 'version.taken_off', 'submission.built', 'submission.ready', 'submission.failed', 'event.round_drawn', 'event.results_revealed', 'event.finished', 'webhook.test'])), name='delivery_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('next_at__isnull', False), ('state', 'due')), models.Q(('next_at__isnull', True), ('state__in', ['received', 'failed'])), _connector='OR'), name='delivery_next_while_due'),
        ),
    ]
