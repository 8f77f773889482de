"""Methods of a client, made from the functions that describe their requests.

The functions of `slugline._api.api` are generated; their arguments become those of the methods, of
both clients, by `ParamSpec`.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from typing import Any, Generic, ParamSpec, TypeVar, overload

import httpx

from ._pages import AsyncListing, Listing
from ._request import Page, Request
from ._transport import AsyncTransport, Transport

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")
S = TypeVar("S", bound=Transport | AsyncTransport)


class Resource(Generic[S]):
    """A part of a client."""

    def __init__(self, transport: S) -> None:
        self._transport: S = transport


class Operation(Generic[P, R]):
    """A method that sends the request which `build` describes."""

    def __init__(self, build: Callable[P, Request[R]]) -> None:
        self.build = build

    def bound(self, use: Callable[[Request[R]], Any]) -> Any:
        @functools.wraps(self.build)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return use(self.build(*args, **kwargs))

        return method


class Call(Operation[P, R]):
    """Returns what the response has."""

    @overload
    def __get__(self, resource: Resource[Transport], owner: object) -> Callable[P, R]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], owner: object
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, resource: Resource[Any], owner: object) -> Any:
        return self.bound(resource._transport.send)


class File(Operation[P, bytes]):
    """Returns a response whose content is still to be read."""

    @overload
    def __get__(
        self, resource: Resource[Transport], owner: object
    ) -> Callable[P, httpx.Response]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], owner: object
    ) -> Callable[P, Coroutine[Any, Any, httpx.Response]]: ...
    def __get__(self, resource: Resource[Any], owner: object) -> Any:
        return self.bound(resource._transport.file)


class Paged(Generic[P, T]):
    """Returns a list."""

    def __init__(self, build: Callable[P, Request[Page[T]]]) -> None:
        self.operation = Operation(build)

    @overload
    def __get__(self, resource: Resource[Transport], owner: object) -> Callable[P, Listing[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], owner: object
    ) -> Callable[P, AsyncListing[T]]: ...
    def __get__(self, resource: Resource[Any], owner: object) -> Any:
        return self.operation.bound(resource._transport.list)


class Follow(Generic[P, T]):
    """Returns the items of a stream, without an end."""

    def __init__(
        self, build: Callable[P, Request[bytes]], item: Callable[[Mapping[str, Any]], T]
    ) -> None:
        self.operation = Operation(build)
        self.item = item

    @overload
    def __get__(self, resource: Resource[Transport], owner: object) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(
        self, resource: Resource[AsyncTransport], owner: object
    ) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, resource: Resource[Any], owner: object) -> Any:
        follow = resource._transport.follow
        return self.operation.bound(lambda request: follow(request, self.item))
