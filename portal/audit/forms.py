"""What auditors fill in."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.results.models import MarkKind

RUNS_MAX = 100
LINES_MAX = 10**9


class DecisionForm(forms.Form):
    """Accept or reject, with the reason that the submitter reads."""

    decision = forms.ChoiceField(label=_("Decision"), choices=(("accept", _("accept")), ("reject", _("reject"))))
    reason = forms.CharField(label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 4}))


class MarkForm(forms.Form):
    """A mark on a result, with the reason that everybody reads."""

    # No mark is preselected: one sent by oversight stays for ever.
    kind = forms.ChoiceField(label=_("Mark"), choices=(("", _("choose a mark")), *MarkKind.choices))
    reason = forms.CharField(label=_("Reason"), max_length=1000, widget=forms.Textarea(attrs={"rows": 4}))


class LogForm(forms.Form):
    """Which page of which run's log."""

    run = forms.IntegerField(label=_("Run"), min_value=0, max_value=RUNS_MAX, initial=0)
    first = forms.IntegerField(label=_("From line"), min_value=1, max_value=LINES_MAX, initial=1)


def read_log_form(data: dict[str, str]) -> tuple[int, int]:
    """Run and first line asked for; what cannot be read is the beginning."""
    form = LogForm({"run": "0", "first": "1"} | data)
    if not form.is_valid():
        return 0, 1
    return form.cleaned_data["run"], form.cleaned_data["first"]
