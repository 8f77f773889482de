"""The errors that requests raise."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import httpx


@dataclass(frozen=True)
class ErrorDetail:
    """A field that failed."""

    field: str
    """The field's path, `tags[3]` for instance; or the name of a parameter or header."""
    code: str
    message: str


class SluglineError(Exception):
    """A failed request. Catch a subclass, or look at `code`."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int = 0,
        request_id: str | None = None,
        retry_after: float | None = None,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """Stable: `LINK_NOT_FOUND` for instance. Without an error of Slugline: `HTTP_{status}`."""
        self.message = message
        self.status = status
        """The status of the response; 0: there was none."""
        self.request_id = request_id
        """What the operator finds in the log."""
        self.retry_after = retry_after
        """Seconds, from `Retry-After`."""
        self.body = body or {}
        """The `error` of the response."""
        self.details = [
            ErrorDetail(detail["field"], detail["code"], detail["message"])
            for detail in self.body.get("details", [])
        ]
        """Every field that failed; empty if none was to blame."""

    def __str__(self) -> str:
        fields = "".join(f"; {detail.field}: {detail.message}" for detail in self.details)
        request = f" ({self.request_id})" if self.request_id else ""
        return f"{self.code}: {self.message}{fields}{request}"


class ConnectionFailedError(SluglineError):
    """There was no response, or it broke off; `__cause__` says why."""

    def __init__(self, cause: Exception) -> None:
        super().__init__("CONNECTION_FAILED", str(cause) or type(cause).__name__)
        self.__cause__ = cause


class BadRequestError(SluglineError):
    """400: a malformed header, cursor or body."""


class AuthenticationError(SluglineError):
    """401: no API key, or an invalid one."""


class PermissionDeniedError(SluglineError):
    """403: the key may not do this."""


class PlanLimitError(PermissionDeniedError):
    """403 PLAN_LIMIT_REACHED."""


class NotFoundError(SluglineError):
    """404: it doesn't exist, or the key may not see it."""


class ConflictError(SluglineError):
    """409: a name is taken, or the state forbids it."""


class SlugTakenError(ConflictError):
    """409 SLUG_TAKEN, with free slugs."""

    @property
    def suggestions(self) -> list[str]:
        return list(self.body.get("suggestions", []))


class EventsOtherFeedError(ConflictError):
    """409 EVENTS_OTHER_FEED: the instance was restored or moved. Read the workspace again."""


class GoneError(SluglineError):
    """410: it has ended."""


class EventsExpiredError(GoneError):
    """410 EVENTS_EXPIRED: events after the given one are no longer kept."""

    @property
    def oldest(self) -> str | None:
        """The id of the oldest event that is kept; None: there is none."""
        oldest: str | None = self.body.get("oldest")
        return oldest


class PreconditionFailedError(SluglineError):
    """412: someone else has changed it."""


class ValidationError(SluglineError):
    """422: `details` has every field that failed."""


class RateLimitError(SluglineError):
    """429, after the last retry."""


class ServerError(SluglineError):
    """5xx, after the last retry."""


_BY_CODE: dict[str, type[SluglineError]] = {
    "SLUG_TAKEN": SlugTakenError,
    "PLAN_LIMIT_REACHED": PlanLimitError,
    "EVENTS_EXPIRED": EventsExpiredError,
    "EVENTS_OTHER_FEED": EventsOtherFeedError,
}

_BY_STATUS: dict[int, type[SluglineError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    412: PreconditionFailedError,
    422: ValidationError,
    429: RateLimitError,
}


def error_of(response: httpx.Response) -> SluglineError:
    """The error that a response describes; a proxy's page becomes `HTTP_{status}`."""
    status = response.status_code
    try:
        error = json.loads(response.content)["error"]
        code, message = str(error["code"]), str(error["message"])
    except (ValueError, KeyError, TypeError):
        error, code, message = {}, f"HTTP_{status}", f"The response has the status {status}."
    after = response.headers.get("Retry-After", "")
    other = ServerError if status >= 500 else SluglineError
    return (_BY_CODE.get(code) or _BY_STATUS.get(status, other))(
        code,
        message,
        status=status,
        request_id=error.get("request_id") or response.headers.get("X-Request-Id"),
        retry_after=float(after) if after.isdecimal() else None,
        body=error,
    )
