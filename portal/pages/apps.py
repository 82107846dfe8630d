"""Registers the pages application."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Pages of the account area and the prose pages; owns no table."""

    name = "portal.pages"
    label = "pages"
