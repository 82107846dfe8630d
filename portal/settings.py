"""Settings of the portal, by environment alone; with an empty environment it runs embedded in one state folder."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from portal import environment, logs

BASE_DIR = Path(__file__).resolve().parent.parent
STATE_DIR = Path(environment.text("VFLOPS_STATE_DIR", default=str(BASE_DIR / "var"))).resolve()

# --- who and where -----------------------------------------------------------------------------------------------

DEBUG = environment.flag("DEBUG")
SECRET_KEY = environment.secret_key(STATE_DIR)
PORT = environment.number("PORT", default=8000)
SITE_URL = environment.text("SITE_URL", default=f"http://localhost:{PORT}").rstrip("/")
HTTPS = SITE_URL.startswith("https://")
ALLOWED_HOSTS = environment.words("ALLOWED_HOSTS", default=("localhost", "127.0.0.1", "[::1]"))
CSRF_TRUSTED_ORIGINS = [SITE_URL]
ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "portal",
    "portal.trail",
    "portal.accounts",
    "portal.submissions",
    "portal.results",
    "portal.audit",
    "portal.boards",
    "portal.pages",
    "portal.api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "axes",
    "csp",
    "django_filters",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
]

MIDDLEWARE = [
    "csp.middleware.CSPMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "portal.middleware.keep_private",
    "portal.middleware.refuse_nul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# --- data --------------------------------------------------------------------------------------------------------

DATABASE_URL = environment.text(
    "VFLOPS_DATABASE_URL", "DATABASE_URL", default=f"sqlite:///{STATE_DIR / 'portal.sqlite3'}"
)
DATABASES: dict[str, Any] = {
    "default": dict(dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True))
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Writers queue at BEGIN IMMEDIATE for up to 20 s; a deferred transaction that reads, then writes, fails at once.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    # A file, as in operation: several connections to a database in memory lock each other out at once.
    DATABASES["default"]["TEST"] = {"NAME": str(STATE_DIR / "test.sqlite3")}

REDIS_URL = environment.text("REDIS_URL")
CACHES: dict[str, Any] = {
    "default": {
        "BACKEND": "portal.caches.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 2, "socket_timeout": 2},
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": str(STATE_DIR / "cache")}
}

MEDIA_ROOT = STATE_DIR / "bundles"
S3_BUCKET = environment.text("S3_BUCKET")
STORAGES: dict[str, Any] = {
    "default": {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": S3_BUCKET,
            "endpoint_url": environment.text("S3_ENDPOINT_URL") or None,
            "region_name": environment.text("S3_REGION") or None,
            "access_key": environment.text("S3_ACCESS_KEY_ID") or None,
            "secret_key": environment.text("S3_SECRET_ACCESS_KEY") or None,
            "default_acl": None,
            "file_overwrite": False,
            "querystring_auth": True,
        },
    }
    if S3_BUCKET
    else {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
UPLOAD_DIR = STATE_DIR / "uploads"
"""Where unfinished uploads grow; several web processes share it. A finished upload moves to the default storage."""

STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]

# --- queue: the database row is the queue of record, the broker carries ids only ---------------------------------

VERIFY_WALL_S = 15 * 60
"""Longest verification of one bundle: parsing does more than 1 MB/s, and bundles of lite scale are below 100 MB."""
VERIFY_MEMORY_BYTES = 2 * 1024**3
"""Address space of the verifying child: a bundle is read as a stream, the longest entry held at a time is smaller."""
VERIFY_OUTPUT_BYTES = 32 * 1024**2
"""Longest report: five runs with curves of one point a second for a day stay below it."""
LEASE = timedelta(seconds=60)
"""How long a claim holds; a worker renews it while it works, so a dead one is missed within a minute."""
SWEEP_EVERY = timedelta(seconds=15)
"""Between two rounds of the sweep: with a lease, what the loss of a worker costs a submitter."""
TASK_HARD_LIMIT_S = VERIFY_WALL_S + 300
"""The child's wall limit and five minutes to fetch the bundle and write the report."""
VISIBILITY_TIMEOUT_S = 2 * TASK_HARD_LIMIT_S
"""Above the hard limit, so that no broker hands out a second time what is still being worked on."""

BROKER_DIR = STATE_DIR / "broker"
CELERY_BROKER_URL = REDIS_URL or "filesystem://"
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    {"visibility_timeout": VISIBILITY_TIMEOUT_S, "socket_timeout": 5, "socket_connect_timeout": 2}
    if REDIS_URL
    else {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
    }
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = TASK_HARD_LIMIT_S
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TIMEZONE = "UTC"

FIGURES_BUILDER = "portal.boards.figures.build"
"""Makes the stored figures of a result from its document; named here because boards stand above results."""

# --- people ------------------------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("email", "name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/submissions/"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_USER_MODEL_EMAIL_FIELD = "email"
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if environment.text("EMAIL_URL") else "optional"  # files reach nobody
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https" if HTTPS else "http"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Valid FLOPS] "
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
ACCOUNT_RATE_LIMITS = {"login_failed": False}  # axes counts failed logins, in the database and across processes
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "portal.accounts.security.login_name"
AXES_CLIENT_IP_CALLABLE = "portal.accounts.security.caller_address"
AXES_LOCKOUT_CALLABLE = "portal.accounts.security.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
AXES_DISABLE_ACCESS_LOG = True

mail = environment.email_settings(environment.text("EMAIL_URL"), folder=STATE_DIR / "mail")
EMAIL_BACKEND = mail["EMAIL_BACKEND"]
EMAIL_FILE_PATH = mail.get("EMAIL_FILE_PATH")
EMAIL_HOST = mail.get("EMAIL_HOST", "")
EMAIL_PORT = mail.get("EMAIL_PORT", 25)
EMAIL_HOST_USER = mail.get("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = mail.get("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_SSL = mail.get("EMAIL_USE_SSL", False)
EMAIL_USE_TLS = mail.get("EMAIL_USE_TLS", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = environment.text("DEFAULT_FROM_EMAIL", default="Valid FLOPS <noreply@localhost>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

# --- words and time ----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English"))]
"""Those with a whole catalogue under locale/, so that nobody is sent to half a translation."""
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- security ----------------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "font-src": [SELF],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and environment.flag("HSTS_SUBDOMAINS")
SECURE_HSTS_PRELOAD = SECURE_HSTS_INCLUDE_SUBDOMAINS and environment.flag("HSTS_PRELOAD")
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
"""They ask for what only the owner of the whole domain can decide, and what browsers keep for a year or for ever."""
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if environment.flag("BEHIND_PROXY") else None
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if SECURE_PROXY_SSL_HEADER else 0
SECURE_REDIRECT_EXEMPT = [r"^health/"]
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = HTTPS
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024**2
"""Bodies that are read whole: forms and JSON. Uploads are read as a stream and never pass here."""
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
FILE_UPLOAD_HANDLERS = ["portal.middleware.RefuseFiles"]
"""No form takes a file; without this anybody could fill the disk before any view is asked."""

# --- API ---------------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "portal.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["portal.api.permissions.DenyAll"],
    "EXCEPTION_HANDLER": "portal.api.problems.exception_handler",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "STRICT_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Valid FLOPS",
    "DESCRIPTION": "Boards, results and submissions of the Valid FLOPS benchmark.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "OAS_VERSION": "3.1.0",
}

# --- logs --------------------------------------------------------------------------------------------------------

LOGGING = logs.logging_config(
    json=environment.flag("LOG_JSON", default=not DEBUG), level=environment.text("LOG_LEVEL", default="INFO")
)
logs.configure()
