"""Append-only, typed events of everything that happens in the portal."""
