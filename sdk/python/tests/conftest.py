from collections.abc import Iterator

import pytest
from harness import Api

from slugline import _transport


@pytest.fixture(params=["sync", "async"])
def api(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """Both clients, without waiting in pauses."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(_transport.time, "sleep", pauses.append)
    monkeypatch.setattr(_transport.asyncio, "sleep", pause)
    yield Api(request.param == "async", pauses)
