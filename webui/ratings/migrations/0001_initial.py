import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('ladders', '0001_initial'),
        ('matches', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Fit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('clock', models.CharField(blank=True, max_length=200, null=True, unique=True)),
                ('finished', models.PositiveIntegerField(default=0)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('terms', models.JSONField(default=dict)),
                ('ladder', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='fit', to='ladders.ladder')),
            ],
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
                ('fit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='ratings.fit')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='published', to='bots.botversion')),
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
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='ladders.ladder')),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rating_entries', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rating_entries', to='bots.botversion')),
            ],
            options={
                'verbose_name_plural': 'rating entries',
                'ordering': ['ladder', 'number', 'seat'],
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
                ('wins', models.PositiveIntegerField()),
                ('seats', models.JSONField()),
                ('ladder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='ladders.ladder')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='bots.botversion')),
            ],
        ),
        migrations.AddConstraint(
            model_name='fit',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('clock__isnull', True), ('ladder__isnull', False)), models.Q(('clock__isnull', False), ('ladder__isnull', True)), _connector='OR'), name='fit_of_one_list'),
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
    ]
