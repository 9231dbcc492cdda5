
import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0003_hosted'),
        ('matches', '0003_participant_was_absent'),
    ]

    operations = [
        migrations.CreateModel(
            name='HeldCount',
            fields=[
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='held_count', serialize=False, to='matches.match')),
            ],
        ),
        migrations.CreateModel(
            name='WinStreak',
            fields=[
                ('bot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='win_streak', serialize=False, to='bots.bot')),
                ('length', models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name='BotPair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('games', models.PositiveIntegerField()),
                ('above', models.PositiveIntegerField()),
                ('level', models.PositiveIntegerField()),
                ('closest', models.PositiveSmallIntegerField(null=True)),
                ('highest', models.SmallIntegerField(null=True)),
                ('comeback', models.PositiveSmallIntegerField(null=True)),
                ('closest_match', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='matches.match')),
                ('comeback_match', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='matches.match')),
                ('first', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.bot')),
                ('highest_match', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='matches.match')),
                ('second', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.bot')),
            ],
        ),
        migrations.CreateModel(
            name='CountProgress',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('counted', models.PositiveBigIntegerField(default=0)),
                ('last_at', models.DateTimeField(null=True)),
                ('last_id', models.CharField(blank=True, default='', max_length=32)),
            ],
            options={
                'verbose_name_plural': 'progress of the count',
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='count_progress_once')],
            },
        ),
        migrations.CreateModel(
            name='GameFigure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=40)),
                ('kind', models.CharField(choices=[('PLACE', 'Place'), ('DJINN', 'Djinn'), ('TILE', 'Tile'), ('WINNING', 'Winning')], max_length=8)),
                ('key', models.CharField(max_length=20)),
                ('seats', models.PositiveBigIntegerField()),
                ('won', models.FloatField()),
                ('held', models.BigIntegerField()),
                ('held_squares', models.BigIntegerField()),
                ('total', models.BigIntegerField()),
                ('squares', models.BigIntegerField()),
                ('product', models.BigIntegerField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('game', 'kind', 'key'), name='figure_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['PLACE', 'DJINN', 'TILE', 'WINNING'])), name='figure_kind_known')],
            },
        ),
        migrations.CreateModel(
            name='Meeting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('game', models.CharField(max_length=40)),
                ('first_place', models.PositiveSmallIntegerField()),
                ('second_place', models.PositiveSmallIntegerField()),
                ('games', models.PositiveIntegerField()),
                ('above', models.PositiveIntegerField()),
                ('level', models.PositiveIntegerField()),
                ('first_won', models.PositiveIntegerField()),
                ('second_won', models.PositiveIntegerField()),
                ('pair', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='meetings', to='game_statistics.botpair')),
            ],
        ),
        migrations.CreateModel(
            name='ArenaRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('HIGHEST', 'Highest'), ('LOWEST_WIN', 'Lowest Win'), ('CLOSEST', 'Closest'), ('LARGEST', 'Largest'), ('COMEBACK', 'Comeback'), ('LEADS', 'Leads'), ('LONGEST', 'Longest'), ('DJINNS', 'Djinns'), ('STREAK', 'Streak')], max_length=12)),
                ('players', models.PositiveSmallIntegerField()),
                ('value', models.IntegerField()),
                ('bot', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='bots.bot')),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='matches.match')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'players'), name='arena_record_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['HIGHEST', 'LOWEST_WIN', 'CLOSEST', 'LARGEST', 'COMEBACK', 'LEADS', 'LONGEST', 'DJINNS', 'STREAK'])), name='arena_record_kind_known')],
            },
        ),
        migrations.AddIndex(
            model_name='botpair',
            index=models.Index(fields=['first', '-games'], name='bot_pair_by_first'),
        ),
        migrations.AddIndex(
            model_name='botpair',
            index=models.Index(fields=['second', '-games'], name='bot_pair_by_second'),
        ),
        migrations.AddConstraint(
            model_name='botpair',
            constraint=models.UniqueConstraint(fields=('first', 'second'), name='bot_pair_once'),
        ),
        migrations.AddConstraint(
            model_name='botpair',
            constraint=models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='bot_pair_in_order'),
        ),
        migrations.AddConstraint(
            model_name='botpair',
            constraint=models.CheckConstraint(condition=models.Q(('games__gte', django.db.models.expressions.CombinedExpression(models.F('above'), '+', models.F('level')))), name='bot_pair_adds_up'),
        ),
        migrations.AddConstraint(
            model_name='meeting',
            constraint=models.UniqueConstraint(fields=('pair', 'game', 'first_place', 'second_place'), name='meeting_once'),
        ),
        migrations.AddConstraint(
            model_name='meeting',
            constraint=models.CheckConstraint(condition=models.Q(('games__gte', django.db.models.expressions.CombinedExpression(models.F('above'), '+', models.F('level')))), name='meeting_adds_up'),
        ),
    ]
