import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('matches', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Challenge',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('ruleset', models.JSONField()),
                ('state', models.CharField(choices=[('WAITING', 'Waiting'), ('MATCHED', 'Matched'), ('EXPIRED', 'Expired'), ('WITHDRAWN', 'Withdrawn'), ('REFUSED', 'Refused')], default='WAITING', max_length=10)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='challenges', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ChallengeMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tries', models.PositiveSmallIntegerField(default=1)),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='challenges.challenge')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='challenge_match', to='matches.match')),
            ],
        ),
        migrations.CreateModel(
            name='ChallengeSeat',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seat', models.PositiveSmallIntegerField()),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.bot')),
                ('challenge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='seats', to='challenges.challenge')),
                ('version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.botversion')),
            ],
        ),
        migrations.CreateModel(
            name='ChallengeTerms',
            fields=[
                ('bot', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='challenge_terms', serialize=False, to='bots.bot')),
                ('accepts', models.CharField(choices=[('NEVER', 'Never'), ('FRIENDS', 'Friends'), ('ALL', 'All')], default='NEVER', max_length=8)),
                ('at_once', models.PositiveSmallIntegerField(default=1)),
                ('friends', models.ManyToManyField(blank=True, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='challenge',
            index=models.Index(condition=models.Q(('state', 'WAITING')), fields=['created_at'], name='challenge_waiting'),
        ),
        migrations.AddIndex(
            model_name='challenge',
            index=models.Index(fields=['owner', '-created_at'], name='challenge_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['WAITING', 'MATCHED', 'EXPIRED', 'WITHDRAWN', 'REFUSED'])), name='challenge_state_known'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'WAITING')), models.Q(models.Q(('state', 'WAITING'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='challenge_end_known'),
        ),
        migrations.AddConstraint(
            model_name='challengematch',
            constraint=models.UniqueConstraint(fields=('challenge', 'tries'), name='challenge_match_once'),
        ),
        migrations.AddConstraint(
            model_name='challengeseat',
            constraint=models.UniqueConstraint(fields=('challenge', 'seat'), name='challenge_seat_once'),
        ),
        migrations.AddConstraint(
            model_name='challengeseat',
            constraint=models.CheckConstraint(condition=models.Q(('seat__gte', 1), ('seat__lte', 5)), name='challenge_seat_exists'),
        ),
        migrations.AddConstraint(
            model_name='challengeterms',
            constraint=models.CheckConstraint(condition=models.Q(('accepts__in', ['NEVER', 'FRIENDS', 'ALL'])), name='challenge_accepts_known'),
        ),
        migrations.AddConstraint(
            model_name='challengeterms',
            constraint=models.CheckConstraint(condition=models.Q(('at_once__gte', 1), ('at_once__lte', 4)), name='challenge_at_once_in_range'),
        ),
    ]
