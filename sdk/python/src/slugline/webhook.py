"""Verifies received webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from ._api.models import Event


class WebhookVerificationError(Exception):
    """A request that isn't from the webhook's sender, or is too old."""


def verify_webhook(
    *,
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """Checks a webhook by Standard Webhooks 1.0, and returns its event.

    `body` is what was received, before it is parsed. A secret (`whsec_…`) checks the signatures `v1`
    (HMAC-SHA-256), a public key (`whpk_…`) `v1a` (Ed25519; needs `slugline[ed25519]`). `tolerance` is
    how many seconds the time of the request may be from `now`. Raises WebhookVerificationError.
    """
    raw = body.encode() if isinstance(body, str) else body
    lowered = {name.lower(): value for name, value in headers.items()}
    sent = lowered.get("webhook-timestamp", "")
    age = (time.time() if now is None else now) - (int(sent) if _is_time(sent) else 0)
    if abs(age) > tolerance:
        raise WebhookVerificationError("The timestamp is missing or too far from now.")
    signed = f"{lowered.get('webhook-id', '')}.{sent}.".encode() + raw
    signatures = lowered.get("webhook-signature", "").split(" ")[:20]
    is_public = secret.startswith("whpk_")
    key = _decoded(secret.removeprefix("whpk_").removeprefix("whsec_"))
    if not key:
        raise WebhookVerificationError("The secret is not valid.")
    check = _is_signed_by_owner if is_public else _is_signed_by_secret
    version = "v1a," if is_public else "v1,"
    given = [_decoded(each.removeprefix(version)) for each in signatures if each.startswith(version)]
    if not any(check(key, signature, signed) for signature in given):
        raise WebhookVerificationError("No signature is valid.")
    return Event.from_dict(json.loads(raw))


def _is_time(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 12


def _decoded(text: str) -> bytes:
    """Empty if it isn't base64."""
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _is_signed_by_secret(key: bytes, signature: bytes, signed: bytes) -> bool:
    return hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), signature)


def _is_signed_by_owner(key: bytes, signature: bytes, signed: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True
