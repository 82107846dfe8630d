"""Makes the demo's person and organisation in the portal's own database, with an API token; prints them as JSON.

Started by scripts/demo.py as a child, so that Django's settings are read there and nowhere else.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
from pathlib import Path

import django

EMAIL = "demo@example.org"
ORGANISATION = "Demo Organisation"


def main() -> None:
    """Reuses the account of an earlier call; the token is made anew, since its secret is nowhere kept."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    django.setup()
    print(json.dumps(account(password(Path(sys.argv[1])))))


def password(path: Path) -> str:
    """A password made once and kept for this machine's user alone."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(12))
    return path.read_text()


def account(secret: str) -> dict[str, str]:
    """The demo's person, organisation and a token of one day."""
    from portal.accounts.models import Organisation, User
    from portal.accounts.services import api_token_create, organisation_create

    user = User.objects.filter(email=EMAIL).first() or User.objects.create_user(EMAIL, secret, name="Demo")
    user.set_password(secret)
    user.save(update_fields=["password"])
    organisation = Organisation.objects.filter(name=ORGANISATION).first()
    organisation = organisation or organisation_create(user=user, name=ORGANISATION)
    _token, token = api_token_create(organisation=organisation, user=user, name="make demo", days=1)
    return {"email": EMAIL, "password": secret, "organisation": organisation.slug, "token": token}


if __name__ == "__main__":
    main()
