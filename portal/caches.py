"""Redis as a cache that may be away: then it is an empty cache, and no request fails for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import structlog
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = structlog.get_logger(__name__)

P = ParamSpec("P")
T = TypeVar("T")


def _or(away: Callable[..., T]) -> Callable[[Callable[Concatenate[Any, P], T]], Callable[Concatenate[Any, P], T]]:
    """The method's answer, or that of ``away`` with the same arguments where Redis cannot be asked."""

    def decorate(method: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
        @wraps(method)
        def asked(cache: Any, /, *args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return method(cache, *args, **kwargs)
            except RedisError as error:
                logger.warning("cache.unreachable", error=str(error))
                return away(*args, **kwargs)

        return asked

    return decorate


class ForgivingRedisCache(RedisCache):
    """What is kept here are counts of calls and other things that may be lost at any time."""

    @_or(lambda _key, default=None, *_version, **_named: default)
    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value; the default while Redis is away."""
        return super().get(key, default, version)

    @_or(lambda *_args, **_kwargs: None)
    def set(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> None:
        """Keep a value; nothing is kept while Redis is away."""
        super().set(key, value, *args, **kwargs)

    @_or(lambda *_args, **_kwargs: True)
    def add(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> bool:
        """Keep a value that is new; all are while Redis is away."""
        return super().add(key, value, *args, **kwargs)

    @_or(lambda *_args, **_kwargs: False)
    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget a value; there is none while Redis is away."""
        return super().delete(key, version)
