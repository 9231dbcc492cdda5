import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('bots', '0001_initial'),
        ('matches', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='Exclusion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('matches', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('examination', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='examination', to='matches.match')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exclusions', to='bots.botversion')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('version',), name='exclusion_once_a_version')],
            },
        ),
    ]
