"""People and organisations in the administration; keys and tokens are to look at, never to make."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from portal.accounts.models import ApiToken, Membership, Organisation, SigningKey, User


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    """People, by e-mail address."""

    ordering = ("email",)
    list_display = ("email", "name", "is_active", "is_auditor", "is_staff", "created_at")
    list_filter = ("is_active", "is_auditor", "is_staff")
    search_fields = ("email", "name", "public_id")
    readonly_fields = ("public_id", "created_at", "last_login")
    fieldsets = (
        (None, {"fields": ("email", "name", "password", "public_id")}),
        (None, {"fields": ("is_active", "is_auditor", "is_staff", "is_superuser", "created_at", "last_login")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "password1", "password2")}),)
    filter_horizontal = ()


class MembershipInline(admin.TabularInline):  # type: ignore[type-arg]
    """Who belongs to an organisation."""

    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(Organisation)
class OrganisationAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Organisations; their public id and slug are part of addresses and stay."""

    list_display = ("name", "slug", "country", "created_at")
    search_fields = ("name", "slug", "public_id")
    readonly_fields = ("public_id", "slug", "created_at")
    inlines = (MembershipInline,)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Organisations are made by their owners, on the site."""
        return False


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows that are made and ended on the site alone."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody adds."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody changes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody deletes."""
        return False


@admin.register(SigningKey)
class SigningKeyAdmin(LookOnly):
    """Signing keys, revoked ones too."""

    list_display = ("key_id", "organisation", "name", "created_at", "revoked_at")
    search_fields = ("key_id", "organisation__name")
    list_select_related = ("organisation",)


@admin.register(ApiToken)
class ApiTokenAdmin(LookOnly):
    """API tokens, without their digests."""

    list_display = ("prefix", "organisation", "user", "name", "expires_at", "revoked_at", "last_used_at")
    list_select_related = ("organisation", "user")
    exclude = ("digest",)
