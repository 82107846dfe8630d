"""API v1 of the portal."""
