"""Addresses of the account area and of the prose pages."""

from __future__ import annotations

from django.urls import path

from portal.pages import organisations, prose, submissions

app_name = "pages"

urlpatterns = [
    path("rules/", prose.rules, name="rules"),
    path("glossary/", prose.glossary, name="glossary"),
    path("submit/", prose.take_part, name="take_part"),
    path("api/", prose.api_reference, name="api_reference"),
    path("queue/", prose.queue, name="queue"),
    path("account/menu/", prose.account_menu, name="account_menu"),
    path("account/organisations/", organisations.organisation_list, name="organisations"),
    path("account/organisations/new/", organisations.organisation_new, name="organisation_new"),
    path("organisations/<slug:slug>/members/", organisations.members, name="members"),
    path(
        "organisations/<slug:slug>/members/<slug:person_id>/remove/", organisations.member_remove, name="member_remove"
    ),
    path("organisations/<slug:slug>/keys/", organisations.keys, name="keys"),
    path("organisations/<slug:slug>/keys/<slug:key_id>/revoke/", organisations.key_revoke, name="key_revoke"),
    path("organisations/<slug:slug>/tokens/", organisations.tokens, name="tokens"),
    path("organisations/<slug:slug>/tokens/<slug:public_id>/revoke/", organisations.token_revoke, name="token_revoke"),
    path("submissions/", submissions.submission_list, name="submissions"),
    path("submissions/new/", submissions.upload, name="upload"),
    path("submissions/<slug:public_id>/", submissions.submission, name="submission"),
    path("submissions/<slug:public_id>/state/", submissions.submission_state, name="submission_state"),
    path("submissions/<slug:public_id>/publish/", submissions.publish, name="publish"),
    path("submissions/<slug:public_id>/withdraw/", submissions.withdraw, name="withdraw"),
]
