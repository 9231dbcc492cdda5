import django.db.models.expressions
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
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
            name='OverheadSample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), db_index=True)),
                ('counts', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='RunningProcess',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('site', 'Site'), ('gateway', 'Gateway'), ('referee', 'Referee'), ('upkeep', 'Upkeep')], max_length=8)),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('version', models.CharField(max_length=80)),
            ],
            options={
                'verbose_name_plural': 'running processes',
                'constraints': [models.CheckConstraint(condition=models.Q(('kind__in', ['site', 'gateway', 'referee', 'upkeep'])), name='process_kind_known')],
            },
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
    ]
