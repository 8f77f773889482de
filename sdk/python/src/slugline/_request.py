"""A request as data, which a transport sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

import httpx

from .errors import SluglineError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, kw_only=True)
class Request(Generic[T_co]):
    """What is sent, and how its response is read."""

    method: str
    path: str
    parse: Callable[[httpx.Response], T_co]
    takes_key: bool
    """Whether the endpoint takes an `Idempotency-Key`, so that a repetition has no second effect."""
    params: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    json: Any = None
    content: bytes | str | None = None


class Pagination(Protocol):
    """Where a page is in its list."""

    @property
    def limit(self) -> int: ...

    @property
    def has_more(self) -> bool: ...

    @property
    def next_cursor(self) -> str | None: ...


class Page(Protocol[T_co]):
    """A page of a list."""

    @property
    def data(self) -> Sequence[T_co]: ...

    @property
    def pagination(self) -> Pagination: ...


def json_of(from_dict: Callable[[Mapping[str, Any]], T]) -> Callable[[httpx.Response], T]:
    """Reads a JSON object."""

    def parse(response: httpx.Response) -> T:
        try:
            body = response.json()
        except ValueError:
            message = "The response is not JSON; is base_url an instance of Slugline?"
            raise SluglineError(
                "INVALID_RESPONSE", message, status=response.status_code
            ) from None
        return from_dict(body)

    return parse


def content_of(response: httpx.Response) -> bytes:
    """Reads a file."""
    return response.content


def nothing(response: httpx.Response) -> None:
    """Reads no content."""


def segment(value: object) -> str:
    """A segment of a path. Raises ValueError for what would make it another path."""
    if value in ("", ".", ".."):
        raise ValueError(f"{value!r} is not an id")
    return quote(str(value), safe="")
