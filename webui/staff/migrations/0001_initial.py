import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MatchOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('void', 'Void'), ('void_again', 'Void Again'), ('again', 'Again')], max_length=12)),
                ('reason', models.CharField(max_length=200)),
                ('address', models.CharField(blank=True, max_length=64)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('done', 'Done'), ('refused', 'Refused')], default='waiting', max_length=8)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to='matches.match')),
            ],
            options={
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['id'], name='order_waiting')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('state', 'waiting')), fields=('match',), name='order_once_a_match'), models.CheckConstraint(condition=models.Q(('kind__in', ['void', 'void_again', 'again'])), name='order_kind_known'), models.CheckConstraint(condition=models.Q(models.Q(('ended_at', None), ('state', 'waiting')), models.Q(('address', ''), ('ended_at__isnull', False), ('state__in', ['done', 'refused'])), _connector='OR'), name='order_end_known'), models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='order_has_reason')],
            },
        ),
    ]
