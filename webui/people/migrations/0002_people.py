import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('people', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='person',
            name='rated_seat',
            field=models.BigIntegerField(blank=True, null=True),
        ),
        migrations.AlterField(
            model_name='person',
            name='user',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='people', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='PersonRating',
            fields=[
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='rating', serialize=False, to='people.person')),
                ('points', models.FloatField()),
                ('low', models.FloatField()),
                ('high', models.FloatField()),
                ('games', models.PositiveIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['-points'], name='person_rating_best')],
            },
        ),
    ]
