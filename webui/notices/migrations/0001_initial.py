import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('accounts', '0001_initial'),
        ('events', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='MailChoice',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_choice', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('is_wanted', models.BooleanField(default=True)),
                ('language', models.CharField(blank=True, default='', max_length=8)),
                ('wants_digest', models.BooleanField(db_default=False, default=False)),
                ('digested_on', models.DateField(blank=True, null=True)),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('wants_digest', True)), fields=['digested_on'], name='digest_due')],
            },
        ),
        migrations.CreateModel(
            name='BotNotice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'None'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('about', models.CharField(max_length=64)),
                ('kind', models.CharField(choices=[('compared', 'Compared'), ('taken_off', 'Taken Off'), ('webhook_off', 'Webhook Off'), ('digest', 'Digest'), ('message', 'Message'), ('password_link', 'Password Link'), ('locked', 'Locked'), ('unlocked', 'Unlocked')], max_length=16)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bot_notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='bot_notice_of_user'), models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='bot_notice_to_mail'), models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='bot_notice_unread')],
                'constraints': [models.UniqueConstraint(fields=('user', 'about', 'kind', 'number'), name='bot_notice_once'), models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='bot_notice_mail_known')],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.BigIntegerField()),
                ('data', models.JSONField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('read_at', models.DateTimeField(blank=True, null=True)),
                ('mail', models.CharField(blank=True, choices=[('', 'None'), ('due', 'Due'), ('sent', 'Sent'), ('failed', 'Failed')], default='', max_length=8)),
                ('mail_tries', models.PositiveSmallIntegerField(default=0)),
                ('tried_at', models.DateTimeField(blank=True, null=True)),
                ('kind', models.CharField(choices=[('soon', 'Soon'), ('check_in', 'Check In'), ('withdrawn', 'Withdrawn'), ('disqualified', 'Disqualified'), ('absent', 'Absent'), ('drawn', 'Drawn'), ('told', 'Told'), ('finished', 'Finished'), ('invited', 'Invited'), ('asked', 'Asked')], max_length=16)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to='events.eventrow')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['user', '-id'], name='notice_of_user'), models.Index(condition=models.Q(('mail', 'due')), fields=['id'], name='notice_to_mail'), models.Index(condition=models.Q(('read_at', None)), fields=['user'], name='notice_unread')],
                'constraints': [models.UniqueConstraint(fields=('user', 'event', 'kind', 'number'), name='notice_once'), models.CheckConstraint(condition=models.Q(('kind__in', ['soon', 'check_in', 'withdrawn', 'disqualified', 'absent', 'drawn', 'told', 'finished', 'invited', 'asked'])), name='notice_kind_known'), models.CheckConstraint(condition=models.Q(('mail__in', ['', 'due', 'sent', 'failed'])), name='notice_mail_known')],
            },
        ),
    ]
