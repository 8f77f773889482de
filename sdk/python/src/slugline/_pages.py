"""Lists, whose pages are requested as they are needed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any, Generic, TypeVar

from ._request import Page, Request

T = TypeVar("T")


def _after(request: Request[Page[T]], page: Page[T]) -> Request[Page[T]] | None:
    cursor = page.pagination.next_cursor
    return None if cursor is None else replace(request, params={**request.params, "cursor": cursor})


class Listing(Generic[T]):
    """A list: `for item in listing` requests its pages as they are needed."""

    def __init__(
        self, send: Callable[[Request[Page[T]]], Page[T]], request: Request[Page[T]]
    ) -> None:
        self._send = send
        self._request = request

    def page(self) -> Page[T]:
        """The first page."""
        return self._send(self._request)

    def pages(self) -> Iterator[Page[T]]:
        request: Request[Page[T]] | None = self._request
        while request is not None:
            page = self._send(request)
            yield page
            request = _after(request, page)

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page.data


class AsyncListing(Generic[T]):
    """A list: `async for item in listing` requests its pages as they are needed."""

    def __init__(
        self,
        send: Callable[[Request[Page[T]]], Coroutine[Any, Any, Page[T]]],
        request: Request[Page[T]],
    ) -> None:
        self._send = send
        self._request = request

    async def page(self) -> Page[T]:
        """The first page."""
        return await self._send(self._request)

    async def pages(self) -> AsyncIterator[Page[T]]:
        request: Request[Page[T]] | None = self._request
        while request is not None:
            page = await self._send(request)
            yield page
            request = _after(request, page)

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page.data:
                yield item
