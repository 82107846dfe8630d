"""What counts: evidence format, rules, scoring and order. Pure Python: no Django, no torch."""
