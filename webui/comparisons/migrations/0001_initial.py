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
            name='Comparison',
            fields=[
                ('id', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('ruleset', models.JSONField()),
                ('margin', models.FloatField()),
                ('most', models.PositiveIntegerField()),
                ('scores', models.JSONField(default=list)),
                ('length', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('RUNNING', 'Running'), ('YES', 'Yes'), ('NO', 'No'), ('OPEN', 'Open'), ('STOPPED', 'Stopped'), ('IDLE', 'Idle'), ('FAILED', 'Failed')], default='RUNNING', max_length=8)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('moved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('new', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.botversion')),
                ('old', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.botversion')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comparisons', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='ComparisonMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('block', models.PositiveIntegerField()),
                ('game', models.PositiveSmallIntegerField()),
                ('tries', models.PositiveSmallIntegerField()),
                ('comparison', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='matches', to='comparisons.comparison')),
                ('match', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='comparison_match', to='matches.match')),
            ],
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['state', 'moved_at'], name='comparison_by_state'),
        ),
        migrations.AddIndex(
            model_name='comparison',
            index=models.Index(fields=['owner', '-created_at'], name='comparison_of_owner'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('state__in', ['RUNNING', 'YES', 'NO', 'OPEN', 'STOPPED', 'IDLE', 'FAILED'])), name='comparison_state_known'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'RUNNING')), models.Q(models.Q(('state', 'RUNNING'), _negated=True), ('ended_at__isnull', False)), _connector='OR'), name='comparison_end_known'),
        ),
        migrations.AddConstraint(
            model_name='comparison',
            constraint=models.CheckConstraint(condition=models.Q(('new', models.F('old')), _negated=True), name='comparison_of_two'),
        ),
        migrations.AddConstraint(
            model_name='comparisonmatch',
            constraint=models.UniqueConstraint(fields=('comparison', 'block', 'game', 'tries'), name='comparison_match_once'),
        ),
    ]
