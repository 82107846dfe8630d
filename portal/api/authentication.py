"""Who calls the API: a bearer token acts in one organisation's name, a session in its person's."""

from __future__ import annotations

from rest_framework import authentication, exceptions
from rest_framework.request import Request

from portal.accounts.models import ApiToken, User
from portal.accounts.selectors import api_token_condition, api_token_find
from portal.accounts.services import TOKEN_PREFIX, api_token_touch

SCHEME = "bearer"
CHALLENGE = 'Bearer realm="vflops"'


class TokenRefused(exceptions.AuthenticationFailed):
    """A token that does not open the API; ``error_id`` says why."""

    def __init__(self, error_id: str) -> None:
        super().__init__(code=error_id)
        self.error_id = error_id


class ForgeryRefused(exceptions.PermissionDenied):
    """A request by session without the page's own token: it may come from somebody else's page."""

    error_id = "request.csrf_failed"


class TokenAuthentication(authentication.BaseAuthentication):
    """``Authorization: Bearer vfl_...``; expired, revoked and unknown tokens are told apart, by id."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's person and the token; None where no bearer token was sent."""
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME:
            return None
        token = api_token_find(secret.strip()) if secret.strip().startswith(TOKEN_PREFIX) else None
        if token is None:
            raise TokenRefused("token.invalid")
        condition = api_token_condition(token)
        if condition != "valid":
            raise TokenRefused(f"token.{condition}")
        api_token_touch(token=token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return CHALLENGE


class SessionAuthentication(authentication.SessionAuthentication):
    """People who are logged in on the web pages; changes need the header X-CSRFToken."""

    def enforce_csrf(self, request: Request) -> None:
        """Refuse a change that another page could have made the browser send."""
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise ForgeryRefused(str(error.detail)) from error
