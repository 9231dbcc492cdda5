import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
    ]

    operations = [
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
            name='HeldMatch',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='held_back', serialize=False, to='matches.match')),
                ('file', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='late_matches', to='open_data.datafile')),
            ],
        ),
    ]
