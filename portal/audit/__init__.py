"""The auditors' desk."""
