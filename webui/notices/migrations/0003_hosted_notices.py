from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notices', '0002_account_notices'),
    ]

    operations = [
        migrations.AlterField(
            model_name='botnotice',
            name='kind',
            field=models.CharField(choices=[('compared', 'Compared'), ('taken_off', 'Taken Off'), ('hosted', 'Hosted'), ('webhook_off', 'Webhook Off'), ('digest', 'Digest'), ('message', 'Message'), ('password_link', 'Password Link'), ('locked', 'Locked'), ('unlocked', 'Unlocked'), ('account_locked', 'Account Locked'), ('account_unlocked', 'Account Unlocked'), ('role_changed', 'Role Changed')], max_length=16),
        ),
    ]
