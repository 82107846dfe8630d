"""Registers the boards application."""

from django.apps import AppConfig


class BoardsConfig(AppConfig):
    """Public pages; owns no table."""

    name = "portal.boards"
    label = "boards"
