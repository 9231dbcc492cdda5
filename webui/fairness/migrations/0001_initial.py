import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
    ]

    operations = [
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
            name='HelpMeasure',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='help_measure', serialize=False, to='matches.match')),
                ('finished_at', models.DateTimeField(db_index=True)),
                ('helps', models.JSONField()),
            ],
            options={
                'ordering': ['-finished_at'],
            },
        ),
    ]
