"""Database migrations of portal.accounts."""
