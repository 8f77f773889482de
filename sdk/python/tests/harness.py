"""Runs the same test with both clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx

from slugline import AsyncSlugline, Slugline

Answer = Callable[[httpx.Request, int], httpx.Response]


class Api:
    """A client of a server that answers as a test says, and the requests that it got."""

    def __init__(self, is_async: bool, pauses: list[float]) -> None:
        self.is_async = is_async
        self.pauses = pauses
        self.requests: list[httpx.Request] = []
        self.answer: Answer = lambda request, count: httpx.Response(500)
        self.options: dict[str, Any] = {"api_key": "slug_test"}

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request, len(self.requests))

    def call(self, use: Callable[[Any], Any]) -> Any:
        """What a method returns."""
        return self._run(use, lambda result: result)

    def items(self, use: Callable[[Any], Any], most: int = 1000) -> list[Any]:
        """The items of a list or a stream, `most` at most."""
        if not self.is_async:
            return self._run(use, lambda result: [item for _, item in zip(range(most), result)])

        async def collect(result: Any) -> list[Any]:
            found: list[Any] = []
            async for item in result:
                found.append(item)
                if len(found) == most:
                    break
            return found

        return self._run(use, collect)

    def _run(self, use: Callable[[Any], Any], then: Callable[[Any], Any]) -> Any:
        transport = httpx.MockTransport(self._handle)
        url = "https://s.example/"
        if not self.is_async:
            with Slugline(url, http_client=httpx.Client(transport=transport), **self.options) as one:
                return then(use(one))

        async def main() -> Any:
            http = httpx.AsyncClient(transport=transport)
            async with http, AsyncSlugline(url, http_client=http, **self.options) as one:
                result = use(one)
                result = await result if asyncio.iscoroutine(result) else result
                result = then(result)
                return await result if asyncio.iscoroutine(result) else result

        return asyncio.run(main())


def failure(status: int, code: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
    error = {"code": code, "message": code, "request_id": "req_1", **more}
    return httpx.Response(status, json={"error": error}, headers=headers)
