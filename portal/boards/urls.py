"""Addresses of the public pages; they are permanent."""

from __future__ import annotations

from django.urls import path

from portal.boards import result_views, views

app_name = "boards"

urlpatterns = [
    path("", views.home, name="home"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("boards/", views.index, name="index"),
    path("boards/<slug:workload>/<slug:scale>/<slug:level>/", views.board, name="board"),
    path("organisations/<slug:slug>/", views.organisation, name="organisation"),
    path("results/<slug:public_id>/", result_views.result, name="result"),
    path("results/<slug:public_id>/versions/<int:number>/", result_views.version, name="version"),
    path("results/<slug:public_id>/versions/<int:number>/document.json", result_views.document, name="document"),
    path("results/<slug:public_id>/versions/<int:number>/<slug:name>.svg", result_views.picture, name="picture"),
    path("results/<slug:public_id>/bundle", result_views.bundle, name="bundle"),
    path("results/<slug:public_id>/report.json", result_views.report, name="report"),
    path("results/<slug:public_id>/citation.bib", result_views.citation, name="citation"),
]
