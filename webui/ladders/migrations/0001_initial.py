from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Ladder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=80, unique=True)),
                ('ruleset', models.JSONField()),
                ('clock', models.JSONField()),
                ('key', models.CharField(max_length=200, unique=True)),
                ('finished', models.PositiveIntegerField(default=0)),
                ('delay', models.PositiveSmallIntegerField(db_default=0, default=0, help_text='Decisions that spectators of a running match see late; all at its end.')),
            ],
        ),
        migrations.CreateModel(
            name='LadderTerms',
            fields=[
                ('game', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('is_open', models.BooleanField()),
                ('share', models.PositiveSmallIntegerField()),
                ('clock', models.JSONField()),
                ('revision', models.PositiveIntegerField()),
            ],
            options={
                'verbose_name_plural': 'terms of ladders',
                'constraints': [models.CheckConstraint(condition=models.Q(('share__gte', 1), ('share__lte', 100)), name='ladder_share_in_range'), models.CheckConstraint(condition=models.Q(('revision__gte', 1)), name='ladder_revision_from_one')],
            },
        ),
    ]
