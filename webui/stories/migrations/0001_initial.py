import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Story',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='story', serialize=False, to='matches.match')),
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
                'indexes': [models.Index(fields=['day', '-excitement'], name='story_best_of_day'), models.Index(fields=['version', 'day'], name='story_by_version')],
                'constraints': [models.CheckConstraint(condition=models.Q(('excitement__gte', 0), ('excitement__lte', 1)), name='story_excitement_in_range'), models.CheckConstraint(condition=models.Q(('decided_by__in', ['NOTHING', 'DJINN', 'TILE', 'SOURCE', 'FORFEIT', 'TIE'])), name='story_decided_by_known'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__in', ['DJINN', 'TILE', 'SOURCE']), models.Q(('decided_what', ''), _negated=True)), models.Q(models.Q(('decided_by__in', ['DJINN', 'TILE', 'SOURCE']), _negated=True), ('decided_what', '')), _connector='OR'), name='story_decided_by_something')],
            },
        ),
    ]
