"""Signing keys on disk: Ed25519, PKCS8 PEM, readable by their owner only, never overwritten."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import re
import shlex
import stat
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from runner import home
from runner.errors import RunnerError, UsageError
from runner.files import OWNER_ONLY

DEFAULT_NAME = "default"
NAME_PATTERN = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
SUFFIX = ".pem"
DEVICE_ID_CONTEXT = b"vflops-device-id:1:"
"""Separates the secret of device ids from every other use of the private key."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key and where it lies."""

    name: str
    path: Path
    private: Ed25519PrivateKey

    @property
    def public_bytes(self) -> bytes:
        """The raw 32 bytes of the public key."""
        return self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    @property
    def public_text(self) -> str:
        """The public key as it is registered: base64 of the raw 32 bytes."""
        return base64.b64encode(self.public_bytes).decode("ascii")

    @property
    def key_id(self) -> str:
        """SHA-256 of the raw public key, in hex."""
        return hashlib.sha256(self.public_bytes).hexdigest()

    def pseudonym(self, serial: str) -> str:
        """An id of a device that is the same under this key and tells nothing without it."""
        secret = self.private.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        return hmac.digest(hashlib.sha256(DEVICE_ID_CONTEXT + secret).digest(), serial.encode(), "sha256").hex()


def create_key(name: str = DEFAULT_NAME) -> SigningKey:
    """Make a new key of that name; raises where one exists."""
    path = key_path(name)
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    except FileExistsError:
        raise UsageError(
            "keyfile.exists",
            f"There is a key named {name} already; keys are never overwritten.",
            place=path,
            action="Choose another name: vflops keys create NAME",
        ) from None
    with os.fdopen(descriptor, "wb") as file:
        file.write(pem)
        os.fsync(file.fileno())
    return SigningKey(name, path, private)


def load_key(name: str = DEFAULT_NAME) -> SigningKey:
    """The key of that name, or in the file of that path; raises RunnerError where it is missing or unsafe."""
    path = key_path(name)
    _refuse_unsafe(path, name)
    try:
        private = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise _not_a_key(path, str(error)) from error
    if not isinstance(private, Ed25519PrivateKey):
        raise _not_a_key(path, type(private).__name__)
    return SigningKey(path.stem, path, private)


def load_or_create_key(name: str = DEFAULT_NAME) -> tuple[SigningKey, bool]:
    """The key of that name and whether it was made just now; a key given by its path is never made."""
    if _is_path(name) or key_path(name).exists():
        return load_key(name), False
    return create_key(name), True


def list_keys() -> tuple[SigningKey, ...]:
    """All keys of this user, by name."""
    return tuple(load_key(path.stem) for path in sorted(home.keys_folder().glob("*" + SUFFIX)))


def key_path(name: str) -> Path:
    """Where the key of that name lies; ``name`` may be the path of a file."""
    if _is_path(name):
        return Path(name).expanduser().absolute()
    if not NAME_PATTERN.fullmatch(name):
        raise UsageError(
            "keyfile.name",
            "This cannot be the name of a key.",
            expected="1 to 40 of a-z, 0-9 and '-', or the path of a .pem file",
            got=name,
        )
    return home.keys_folder() / (name + SUFFIX)


def _is_path(name: str) -> bool:
    return os.sep in name or name.endswith(SUFFIX)


def _refuse_unsafe(path: Path, name: str) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise UsageError(
            "keyfile.missing",
            "There is no such key.",
            place=path,
            action=f"Make one: vflops keys create {shlex.quote(name)}, or list those there are: vflops keys list",
        ) from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RunnerError(
            "keyfile.too_open",
            "Other users of this machine can reach this private key.",
            place=path,
            expected="mode 0600",
            got=f"mode {stat.S_IMODE(mode):04o}",
            action=f"chmod 600 {shlex.quote(str(path))}",
        )


def _not_a_key(path: Path, got: str) -> RunnerError:
    return RunnerError(
        "keyfile.not_a_key",
        "This file holds no usable private key.",
        place=path,
        expected="an Ed25519 private key, PKCS8 PEM, without a password",
        got=got,
        action="Make one: vflops keys create NAME",
    )
