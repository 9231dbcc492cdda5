import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('matches', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='FeaturedMatch',
            fields=[
                ('number', models.PositiveIntegerField(primary_key=True, serialize=False)),
                ('begins_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('was_live', models.BooleanField()),
                ('match', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='featured', to='matches.match')),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('begins_at')), ('ends_at', None), _connector='OR'), name='featured_for_a_time'), models.CheckConstraint(condition=models.Q(('ends_at__isnull', False), ('was_live', True), _connector='OR'), name='featured_open_if_live'), models.UniqueConstraint(condition=models.Q(('ends_at', None)), fields=('was_live',), name='featured_open_once')],
            },
        ),
    ]
