"""Database migrations of portal.submissions."""
