"""Counts of accelerators that no 32-bit integer holds."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("results", "0002_append_only"),
    ]

    operations = [
        migrations.AlterField(
            model_name="result",
            name="accelerator_count",
            field=models.PositiveBigIntegerField(default=0),
        ),
    ]
