"""Sends requests: authentication, retries, timeouts, errors."""

from __future__ import annotations

import asyncio
import random
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx

from ._pages import AsyncListing, Listing
from ._request import Page, Request
from ._stream import SILENCE_SECONDS, Messages
from .errors import ConnectionFailedError, SluglineError, error_of

T = TypeVar("T")

# A server that asks for a longer pause gets no retry.
LONGEST_PAUSE_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
MOST_PAUSE_SECONDS = 8.0


@dataclass(frozen=True)
class Options:
    """How to reach an instance."""

    base_url: str
    api_key: str | None = None
    language: str | None = None
    timeout: float = 60.0
    max_retries: int = 3

    def with_(
        self, timeout: float | None, max_retries: int | None, language: str | None
    ) -> Options:
        """Other options; None leaves one as it is."""
        return replace(
            self,
            timeout=self.timeout if timeout is None else timeout,
            max_retries=self.max_retries if max_retries is None else max_retries,
            language=self.language if language is None else language,
        )


class _Sending:
    """A request with its retries."""

    def __init__(self, request: Request[Any], options: Options, silence: float | None) -> None:
        headers: dict[str, str] = {"Accept": "application/json"}
        headers |= {name: _header(name, value) for name, value in request.headers.items()}
        if options.api_key is not None:
            headers["Authorization"] = f"Bearer {options.api_key}"
        if options.language is not None:
            headers["Accept-Language"] = options.language
        is_write = request.method != "GET"
        if is_write and request.takes_key:
            headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        self._is_safe = not is_write or "Idempotency-Key" in headers
        self._options = options
        self._attempts = 0
        self.arguments: dict[str, Any] = {
            "method": request.method,
            "url": f"{options.base_url.rstrip('/').removesuffix('/api/v1')}{request.path}",
            "params": request.params,
            "headers": headers,
            "json": request.json,
            "content": request.content,
            "timeout": httpx.Timeout(options.timeout, read=silence or options.timeout),
        }

    def pause_after(self, error: SluglineError) -> float:
        """How many seconds to wait before the next attempt. Raises the error if there is none."""
        if not is_transient(error) or not (self._is_safe or error.status == 429):
            raise error
        pause = error.retry_after or 0
        if self._attempts >= self._options.max_retries or pause > LONGEST_PAUSE_SECONDS:
            raise error
        self._attempts += 1
        return pause or backoff(self._attempts - 1)


def _header(name: str, value: Any) -> str:
    is_version = name == "If-Match" and isinstance(value, int)
    return f'"{value}"' if is_version else str(value)


def is_transient(error: SluglineError) -> bool:
    """Whether the same request may succeed later."""
    status = error.status
    return status in (0, 429) or status >= 500 or error.code == "IDEMPOTENCY_IN_PROGRESS"


def backoff(attempt: int) -> float:
    """Seconds that double with each attempt, with jitter."""
    # A stream may fail for days.
    pause = FIRST_PAUSE_SECONDS * 2.0 ** min(attempt, 10)
    return min(pause, MOST_PAUSE_SECONDS) * random.uniform(0.5, 1)


def _streaming(request: Request[Any], last_id: str | None) -> Request[Any]:
    headers = {**request.headers, "Accept": "text/event-stream"}
    if last_id is not None:
        headers["Last-Event-ID"] = last_id
    return replace(request, headers=headers)


class Transport:
    """Sends requests and waits for them."""

    def __init__(self, options: Options, http: httpx.Client) -> None:
        self.options = options
        self.http = http

    def send(self, request: Request[T]) -> T:
        """The result, as the request reads it."""
        return request.parse(self._respond(request, stream=False))

    def file(self, request: Request[bytes]) -> httpx.Response:
        """The response, whose content is still to be read."""
        return self._respond(replace(request, headers={**request.headers, "Accept": "*/*"}))

    def list(self, request: Request[Page[T]]) -> Listing[T]:
        return Listing(self.send, request)

    def follow(
        self, request: Request[bytes], item: Callable[[Mapping[str, Any]], T]
    ) -> Iterator[T]:
        """Follows a stream of events, and resumes after the last one when it breaks off."""
        last_id: str | None = None
        failures = 0
        while True:
            try:
                response = self._respond(_streaming(request, last_id), silence=SILENCE_SECONDS)
                messages = Messages()
                try:
                    for chunk in response.iter_bytes():
                        for last_id, data in messages.read(chunk, last_id):
                            failures = 0
                            if data is not None:
                                yield item(data)
                finally:
                    response.close()
            except httpx.RequestError:
                pass
            except SluglineError as error:
                if not is_transient(error):
                    raise
            time.sleep(backoff(failures))
            failures += 1

    def _respond(
        self, request: Request[Any], *, stream: bool = True, silence: float | None = None
    ) -> httpx.Response:
        sending = _Sending(request, self.options, silence)
        while True:
            try:
                built = self.http.build_request(**sending.arguments)
                response = self.http.send(built, stream=stream)
                if response.is_success:
                    return response
                response.read()
                response.close()
                error = error_of(response)
            except httpx.RequestError as cause:
                error = ConnectionFailedError(cause)
            time.sleep(sending.pause_after(error))


class AsyncTransport:
    """Sends requests with asyncio. The same as `Transport` with `await`."""

    def __init__(self, options: Options, http: httpx.AsyncClient) -> None:
        self.options = options
        self.http = http

    async def send(self, request: Request[T]) -> T:
        """The result, as the request reads it."""
        return request.parse(await self._respond(request, stream=False))

    async def file(self, request: Request[bytes]) -> httpx.Response:
        """The response, whose content is still to be read."""
        return await self._respond(replace(request, headers={**request.headers, "Accept": "*/*"}))

    def list(self, request: Request[Page[T]]) -> AsyncListing[T]:
        return AsyncListing(self.send, request)

    async def follow(
        self, request: Request[bytes], item: Callable[[Mapping[str, Any]], T]
    ) -> AsyncIterator[T]:
        """Follows a stream of events, and resumes after the last one when it breaks off."""
        last_id: str | None = None
        failures = 0
        while True:
            try:
                response = await self._respond(
                    _streaming(request, last_id), silence=SILENCE_SECONDS
                )
                messages = Messages()
                try:
                    async for chunk in response.aiter_bytes():
                        for last_id, data in messages.read(chunk, last_id):
                            failures = 0
                            if data is not None:
                                yield item(data)
                finally:
                    await response.aclose()
            except httpx.RequestError:
                pass
            except SluglineError as error:
                if not is_transient(error):
                    raise
            await asyncio.sleep(backoff(failures))
            failures += 1

    async def _respond(
        self, request: Request[Any], *, stream: bool = True, silence: float | None = None
    ) -> httpx.Response:
        sending = _Sending(request, self.options, silence)
        while True:
            try:
                built = self.http.build_request(**sending.arguments)
                response = await self.http.send(built, stream=stream)
                if response.is_success:
                    return response
                await response.aread()
                await response.aclose()
                error = error_of(response)
            except httpx.RequestError as cause:
                error = ConnectionFailedError(cause)
            await asyncio.sleep(sending.pause_after(error))
