"""Makes the append-only tables append-only."""

from django.db import migrations

from portal.trail import append_only


class Migration(migrations.Migration):

    dependencies = [("trail", "0001_initial")]

    operations = [
        append_only.operation("trail_event"),
    ]
