"""Forms of the account area: they type what a person entered; services decide whether it may be done."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from portal.accounts.models import Organisation, Role
from portal.accounts.services import TOKEN_DAYS_MAX

TOKEN_DAYS = 90
"""Lifetime offered for a new token: a quarter, as long as a verified submission waits for its owner."""
REASON_LENGTH = 500


class OrganisationForm(forms.Form):
    """A new organisation."""

    name = forms.CharField(label=_("Name"), max_length=100, help_text=_("As it is to stand on the boards."))
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        required=False,
        help_text=_(
            "Latin letters, digits and hyphens, for addresses. Made from the name where left empty; needed where "
            "the name has no Latin letter."
        ),
    )
    country = forms.RegexField(
        r"^[A-Za-z]{2}$",
        label=_("Country"),
        required=False,
        max_length=2,
        help_text=_("ISO 3166-1 code of two letters."),
    )
    website = forms.URLField(label=_("Website"), required=False, assume_scheme="https", max_length=200)


class MemberForm(forms.Form):
    """A person's role in an organisation."""

    email = forms.EmailField(label=_("E-mail address"), help_text=_("The person needs an account first."))
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.MEMBER)


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(label=_("Name"), max_length=100, help_text=_("Where it is used, for example lab-cluster."))
    days = forms.IntegerField(
        label=_("Days until it expires"), min_value=1, max_value=TOKEN_DAYS_MAX, initial=TOKEN_DAYS
    )


class ReasonForm(forms.Form):
    """Something that needs a reason: revoking a key, withdrawing a submission or a result."""

    reason = forms.CharField(label=_("Reason"), max_length=REASON_LENGTH, widget=forms.Textarea(attrs={"rows": 3}))


class UploadForm(forms.Form):
    """What a bundle is sent with. The file itself goes over the upload protocol, never through this form."""

    organisation = forms.ModelChoiceField(
        label=_("Organisation"), queryset=Organisation.objects.none(), to_field_name="slug", empty_label=None
    )
    bundle = forms.FileField(
        label=_("Bundle"), help_text=_("The .vflops file that the command line wrote, at most 512 MB here.")
    )
    publish = forms.BooleanField(label=_("Publish as soon as it is verified"), required=False)
