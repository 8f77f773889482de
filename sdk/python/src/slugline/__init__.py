"""The client of Slugline's API."""

from ._client import AsyncSlugline, Slugline
from ._pages import AsyncListing, Listing
from .errors import (
    AuthenticationError,
    BadRequestError,
    ConflictError,
    ConnectionFailedError,
    ErrorDetail,
    EventsExpiredError,
    EventsOtherFeedError,
    GoneError,
    NotFoundError,
    PermissionDeniedError,
    PlanLimitError,
    PreconditionFailedError,
    RateLimitError,
    ServerError,
    SluglineError,
    SlugTakenError,
    ValidationError,
)
from .webhook import WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncListing",
    "AsyncSlugline",
    "AuthenticationError",
    "BadRequestError",
    "ConflictError",
    "ConnectionFailedError",
    "ErrorDetail",
    "EventsExpiredError",
    "EventsOtherFeedError",
    "GoneError",
    "Listing",
    "NotFoundError",
    "PermissionDeniedError",
    "PlanLimitError",
    "PreconditionFailedError",
    "RateLimitError",
    "ServerError",
    "SlugTakenError",
    "Slugline",
    "SluglineError",
    "ValidationError",
    "WebhookVerificationError",
    "verify_webhook",
]
