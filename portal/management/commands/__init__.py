"""Management commands of the portal as a whole."""
