"""When publication was asked for; workload names as long as a statement may hold."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("submissions", "0002_append_only"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="publish_asked_at",
            field=models.DateTimeField(blank=True, help_text="When publication was last asked for.", null=True),
        ),
        migrations.AlterField(
            model_name="submission",
            name="workload",
            field=models.CharField(blank=True, max_length=64),
        ),
    ]
