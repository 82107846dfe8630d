"""Template filters for numbers, times and addresses; they only call portal.boards.formatting."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html, json_script
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from portal.boards import formatting, words

register = template.Library()

NUMERIC: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("flops", formatting.flops),
    ("operations", formatting.operations),
    ("joules", formatting.joules),
    ("seconds", formatting.seconds),
    ("percent", formatting.percent),
    ("factor", formatting.factor),
    ("count", formatting.count),
    ("size", formatting.size),
)
for name, function in NUMERIC:
    register.filter(name, function)


@register.filter
def significant(value: float | None, digits: int = formatting.SIGNIFICANT_DIGITS) -> str:
    """A plain number with ``digits`` significant digits."""
    return formatting.MISSING if value is None else formatting.significant(value, digits)


@register.filter
def quality(value: float | None) -> str:
    """An achieved or target quality with four decimals."""
    return formatting.factor(value)


@register.filter
def moment(value: datetime | str | None) -> SafeString | str:
    """A moment as ``<time datetime>`` in UTC; site.js puts the reader's local time beside it."""
    if value is None or value == "":
        return formatting.MISSING
    at = datetime.fromisoformat(value) if isinstance(value, str) else value
    at = at.astimezone(UTC)
    return format_html(
        '<time class="number moment" datetime="{}">{} UTC</time>',
        at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        at.strftime("%Y-%m-%d %H:%M"),
    )


@register.filter
def day(value: datetime | None) -> SafeString | str:
    """The UTC day of a moment as ``<time datetime>``."""
    if value is None:
        return formatting.MISSING
    at = value.astimezone(UTC)
    return format_html(
        '<time class="number" datetime="{}">{}</time>', at.strftime("%Y-%m-%dT%H:%M:%SZ"), at.strftime("%Y-%m-%d")
    )


@register.filter
def readable(name: object) -> str:
    """An identifier as words: ``image_classification`` gives ``Image classification``."""
    return words.readable(name)


@register.filter
def word(code: object, kind: str) -> str:
    """The word of a code such as a verdict or a state, in the reader's language."""
    return words.word(code, kind)


@register.filter
def field_name(code: str) -> str:
    """The name of a field of a system description or configuration."""
    return words.field_name(code)


@register.simple_tag
def missing() -> str:
    """What stands where a value is missing."""
    return formatting.MISSING


@register.simple_tag
def site_url() -> str:
    """The portal's own address, as commands are given it."""
    return str(settings.SITE_URL)


@register.filter
def known(value: object) -> object:
    """A value of a system description: the value, or its reason where it is unavailable."""
    if isinstance(value, Mapping) and set(value) == {"unavailable"}:
        return _("unavailable: %(reason)s") % {"reason": value["unavailable"]}
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return formatting.MISSING if value in (None, "", []) else value


@register.filter
def item(mapping: Mapping[str, Any] | None, key: str) -> Any:
    """``mapping[key]``, or None."""
    return None if mapping is None else mapping.get(key)


@register.filter
def script_json(figure: Mapping[str, Any], name: str) -> SafeString:
    """A stored figure as a data block that the chart script reads; the policy allows data, not scripts."""
    return json_script(figure, f"figure-{name}")


@register.filter
def cell(value: float | None) -> str:
    """A number of a figure's table: whole ones as they are, others with six significant digits."""
    if value is None:
        return formatting.MISSING
    return f"{value:,}" if isinstance(value, int) else formatting.significant(value, 6)
