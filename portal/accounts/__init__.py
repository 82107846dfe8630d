"""People, organisations with roles, signing keys and API tokens."""
