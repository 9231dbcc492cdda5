from typing import Any

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


def lock(apps: Any, schema_editor: Any) -> None:
    """Take the locks that the new column and keys need in the order of every finish: ladders first."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("LOCK TABLE ladder_ladder, ladder_botversion IN SHARE ROW EXCLUSIVE MODE")
        schema_editor.execute("LOCK TABLE ladder_participant IN ACCESS EXCLUSIVE MODE")


class Migration(migrations.Migration):

    dependencies = [
        ('ladder', '0012_notices'),
    ]

    operations = [
        migrations.RunPython(lock, migrations.RunPython.noop),
        migrations.AddField(
            model_name='participant',
            name='first_bid',
            field=models.PositiveSmallIntegerField(blank=True, null=True),
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
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('clock__isnull', True), ('ladder__isnull', False)), models.Q(('clock__isnull', False), ('ladder__isnull', True)), _connector='OR'), name='fit_of_one_list'),
                ],
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
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('is_current', True)), fields=('fit', 'version'), name='published_current'),
                    models.UniqueConstraint(fields=('fit', 'version', 'finished'), name='published_once_a_fit'),
                    models.CheckConstraint(condition=models.Q(('forfeits__lte', models.F('games')), ('games__gte', 1)), name='published_games'),
                    models.CheckConstraint(condition=models.Q(models.Q(('best_rank__isnull', True), ('rank__isnull', True), ('worst_rank__isnull', True)), models.Q(('rank__gte', models.F('best_rank')), ('rank__lte', models.F('worst_rank'))), _connector='OR'), name='published_rank_in_its_interval'),
                ],
            },
        ),
    ]
