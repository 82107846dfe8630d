"""Database migrations of portal.trail."""
