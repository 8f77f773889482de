"""Server-sent events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

# The server sends something every 15 seconds; after three times that the connection is dead.
SILENCE_SECONDS = 45.0


class Messages:
    """Messages of a stream that arrives in pieces. Not by lines of text: JSON may have U+2028."""

    def __init__(self) -> None:
        self._rest = b""

    def read(self, chunk: bytes, last_id: str | None) -> Iterator[tuple[str | None, Any]]:
        """The position, and the JSON of an event or None, of each message that is complete."""
        *blocks, self._rest = (self._rest + chunk.replace(b"\r", b"")).split(b"\n\n")
        for block in blocks:
            data: list[str] = []
            for line in block.decode().split("\n"):
                name, _, value = line.partition(":")
                value = value.removeprefix(" ")
                if name == "id":
                    last_id = value
                elif name == "data":
                    data.append(value)
            yield last_id, json.loads("\n".join(data)) if data else None
