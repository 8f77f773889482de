"""The two clients."""

from __future__ import annotations

from dataclasses import asdict
from typing import Self

import httpx

from ._api import api
from ._links import Links
from ._operation import Call, Resource, S
from ._resources import (
    Clicks,
    Domains,
    Events,
    Folders,
    Imports,
    Jobs,
    Keys,
    Logo,
    Plans,
    Shares,
    Stats,
    Tags,
    UtmTemplates,
    Webhooks,
)
from ._transport import AsyncTransport, Options, Transport


class _Client(Resource[S]):
    # What the key may do.
    me = Call(api.get_me)
    # Documents and collections of the instance.
    index = Call(api.get_index)
    # Where a visitor of a short URL would go, and why.
    explain = Call(api.explain_url)

    def __init__(self, transport: S) -> None:
        super().__init__(transport)
        self.links = Links(transport)
        self.tags = Tags(transport)
        self.folders = Folders(transport)
        self.domains = Domains(transport)
        self.utm_templates = UtmTemplates(transport)
        self.shares = Shares(transport)
        self.keys = Keys(transport)
        self.jobs = Jobs(transport)
        self.imports = Imports(transport)
        self.webhooks = Webhooks(transport)
        self.logo = Logo(transport)
        self.plans = Plans(transport)
        self.stats = Stats(transport)
        self.clicks = Clicks(transport)
        self.events = Events(transport)


class Slugline(_Client[Transport]):
    """A client of one instance. Failed requests are repeated where that is safe; then they raise a
    `SluglineError`.

    `base_url` is the instance, such as `https://sho.rt`. Without `api_key` only public endpoints can
    be called. `language` is that of messages, such as `de`. `timeout` is how many seconds an attempt
    may wait for data. `http_client` sets proxies and certificates; it remains open.
    """

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        language: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._owns_http = http_client is None
        options = Options(base_url, api_key, language, timeout, max_retries)
        super().__init__(Transport(options, http_client or httpx.Client()))

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        language: str | None = None,
    ) -> Slugline:
        """A client with other options, on the same connections."""
        options = self._transport.options.with_(timeout, max_retries, language)
        return Slugline(**asdict(options), http_client=self._transport.http)

    def close(self) -> None:
        """Closes its connections."""
        if self._owns_http:
            self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSlugline(_Client[AsyncTransport]):
    """The same client for asyncio: methods are awaited, lists and streams are for `async for`."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        language: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._owns_http = http_client is None
        options = Options(base_url, api_key, language, timeout, max_retries)
        super().__init__(AsyncTransport(options, http_client or httpx.AsyncClient()))

    def with_options(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        language: str | None = None,
    ) -> AsyncSlugline:
        """A client with other options, on the same connections."""
        options = self._transport.options.with_(timeout, max_retries, language)
        return AsyncSlugline(**asdict(options), http_client=self._transport.http)

    async def aclose(self) -> None:
        """Closes its connections."""
        if self._owns_http:
            await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
