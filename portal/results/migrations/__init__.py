"""Database migrations of portal.results."""
