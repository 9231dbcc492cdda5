import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0002_fold_names'),
        ('matches', '0003_participant_was_absent'),
    ]

    operations = [
        migrations.CreateModel(
            name='Blob',
            fields=[
                ('sha256', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('size', models.PositiveIntegerField()),
                ('used_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('size__gt', 0)), name='blob_not_empty')],
            },
        ),
        migrations.CreateModel(
            name='Runner',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('seen_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('cores', models.PositiveSmallIntegerField(default=0)),
                ('runtime', models.TextField(blank=True, default='')),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='runner_has_name'), models.UniqueConstraint(condition=models.Q(('revoked_at', None)), fields=('name',), name='runner_name_once')],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(max_length=40)),
                ('note', models.TextField(blank=True, default='', max_length=500)),
                ('files', models.PositiveIntegerField()),
                ('unpacked_bytes', models.PositiveIntegerField()),
                ('manifest', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('state', models.CharField(choices=[('UPLOADED', 'Uploaded'), ('BUILDING', 'Building'), ('EXAMINING', 'Examining'), ('READY', 'Ready'), ('FAILED', 'Failed'), ('WITHDRAWN', 'Withdrawn')], default='UPLOADED', max_length=12)),
                ('epoch', models.PositiveIntegerField(default=0)),
                ('lease_expires_at', models.DateTimeField(blank=True, null=True)),
                ('failures', models.PositiveSmallIntegerField(default=0)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('log_head', models.TextField(blank=True, default='')),
                ('log_tail', models.TextField(blank=True, default='')),
                ('log_length', models.PositiveIntegerField(default=0)),
                ('fault', models.CharField(blank=True, default='', max_length=32)),
                ('fault_text', models.TextField(blank=True, default='')),
                ('is_announced', models.BooleanField(default=False)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='bots.bot')),
                ('image', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='examined', to='hosting.blob')),
                ('leased_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='jobs', to='hosting.runner')),
                ('source', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='hosting.blob')),
            ],
        ),
        migrations.CreateModel(
            name='HostedVersion',
            fields=[
                ('version', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='hosted', serialize=False, to='bots.botversion')),
                ('command', models.JSONField()),
                ('memory_bytes', models.PositiveBigIntegerField()),
                ('player_counts', models.JSONField()),
                ('expansions', models.JSONField()),
                ('wants_legal', models.BooleanField()),
                ('sdk', models.CharField(blank=True, max_length=100)),
                ('is_current', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hosted_versions', to='bots.bot')),
                ('image', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='hosted', to='hosting.blob')),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='hosted', to='hosting.submission')),
            ],
        ),
        migrations.CreateModel(
            name='BlobPart',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('blob', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='hosting.blob')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('blob', 'number'), name='blob_part_once')],
            },
        ),
        migrations.CreateModel(
            name='HostedSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('started_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('end', models.CharField(max_length=32)),
                ('limit', models.CharField(blank=True, default='', max_length=32)),
                ('exit_code', models.IntegerField(blank=True, null=True)),
                ('signal', models.IntegerField(blank=True, null=True)),
                ('fault', models.CharField(blank=True, default='', max_length=32)),
                ('fault_text', models.TextField(blank=True, default='')),
                ('decision', models.PositiveIntegerField(blank=True, null=True)),
                ('peak_memory_bytes', models.PositiveBigIntegerField()),
                ('processor_s', models.FloatField()),
                ('wall_s', models.FloatField()),
                ('stdout', models.TextField(blank=True, default='')),
                ('stderr', models.TextField(blank=True, default='')),
                ('decisions', models.JSONField(default=list)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hosted_seats', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hosted_seats', to='bots.botversion')),
                ('runner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seats', to='hosting.runner')),
            ],
            options={
                'indexes': [models.Index(fields=['recorded_at'], name='hosted_seat_age')],
                'constraints': [models.UniqueConstraint(fields=('match', 'seat', 'runner', 'started_at'), name='hosted_seat_reported_once'), models.CheckConstraint(condition=models.Q(('seat__gt', 0)), name='hosted_seat_numbered')],
            },
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING'])), fields=['due_at'], name='submission_open'),
        ),
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('is_announced', False)), fields=['ended_at'], name='submission_not_announced'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING', 'READY', 'FAILED', 'WITHDRAWN'])), name='submission_state_known'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(('version', ''), _negated=True), name='submission_has_version'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING']), ('ended_at', None)), models.Q(models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING']), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='submission_ends_once'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lease_expires_at__isnull', True), ('leased_by__isnull', True)), models.Q(('lease_expires_at__isnull', False), ('leased_by__isnull', False), ('state__in', ['BUILDING', 'EXAMINING'])), _connector='OR'), name='submission_leased_while_open'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('image__isnull', False), ('state', 'EXAMINING')), models.Q(models.Q(('state', 'EXAMINING'), _negated=True), ('image', None)), _connector='OR'), name='submission_image_while_examined'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'FAILED'), models.Q(('fault', ''), _negated=True)), models.Q(models.Q(('state', 'FAILED'), _negated=True), ('fault', '')), _connector='OR'), name='submission_fault_if_failed'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING']), _negated=True), ('source__isnull', False), _connector='OR'), name='submission_keeps_source_while_open'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state__in', ['UPLOADED', 'BUILDING', 'EXAMINING']), _negated=True), ('is_announced', False), _connector='OR'), name='submission_announced_at_end'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(condition=models.Q(('state__in', ['FAILED', 'WITHDRAWN']), _negated=True), fields=('bot', 'version'), name='submission_once_a_version'),
        ),
        migrations.AddConstraint(
            model_name='hostedversion',
            constraint=models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('bot',), name='hosted_version_current_once'),
        ),
        migrations.AddConstraint(
            model_name='hostedversion',
            constraint=models.CheckConstraint(condition=models.Q(('is_current', False), ('image__isnull', False), _connector='OR'), name='hosted_version_current_has_image'),
        ),
        migrations.AddConstraint(
            model_name='hostedversion',
            constraint=models.CheckConstraint(condition=models.Q(('memory_bytes__gt', 0)), name='hosted_version_has_memory'),
        ),
    ]
