"""A storage without local paths, as an object store is one; objects live as long as the process's storage."""

from __future__ import annotations

from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage


class ObjectStore(Storage):
    """Objects by name, in memory; ``path`` is left as Django has it for remote storages: not implemented."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}

    def exists(self, name: str) -> bool:
        """Whether there is such an object."""
        return name in self._objects

    def delete(self, name: str) -> None:
        """Remove an object."""
        self._objects.pop(name, None)

    def _open(self, name: str, _mode: str = "rb") -> File[bytes]:
        if name not in self._objects:
            raise FileNotFoundError(name)
        return ContentFile(self._objects[name], name)

    def _save(self, name: str, content: File[Any]) -> str:
        self._objects[name] = content.read()
        return name
