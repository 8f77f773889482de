import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from test_client import EVENT

from slugline import WebhookVerificationError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_614_265_330
BODY = json.dumps(EVENT).encode()


def signed(key: bytes = base64.b64decode(SECRET[6:]), body: bytes = BODY) -> dict[str, str]:
    text = f"msg_1.{NOW}.".encode() + body
    signature = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return {"webhook-id": "msg_1", "webhook-timestamp": str(NOW), "webhook-signature": f"v1,{signature}"}


def verified(**changed: Any) -> Any:
    given = {"body": BODY, "headers": signed(), "secret": SECRET, "now": NOW, **changed}
    return verify_webhook(**given)


def refused(**changed: Any) -> None:
    with pytest.raises(WebhookVerificationError):
        verified(**changed)


def test_a_signed_event_is_valid_with_any_kind_of_body_and_headers() -> None:
    assert verified().id == "evt_1"
    headers = {name.title(): value for name, value in signed().items()}
    assert verified(body=BODY.decode(), headers=headers).type_ == "tag.created"


def test_the_example_of_the_specification_is_signed() -> None:
    headers = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": str(NOW),
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }
    # It is no event, but comes as far as that.
    with pytest.raises(KeyError):
        verified(body='{"test": 2432232314}', headers=headers)


def test_a_change_is_refused() -> None:
    refused(body=BODY + b" ")
    refused(headers={**signed(), "webhook-id": "msg_2"})
    refused(headers={**signed(), "webhook-timestamp": str(NOW + 1)})
    refused(secret=SECRET[:-1] + "x")
    refused(secret="whsec_*")
    refused(secret="")
    refused(headers={})
    for signature in ["", "v1", "v1,", "v1,*", "v1,é", "v2,g0hM9SsE", "v1,g0hM9SsE+OTPJTGt"]:
        refused(headers={**signed(), "webhook-signature": signature})


def test_a_time_more_than_five_minutes_away_is_refused() -> None:
    for seconds in (-300, 0, 300):
        verified(now=NOW + seconds)
    refused(now=NOW + 301)
    refused(now=NOW - 301)
    for time in ("", "NaN", "-1", "1e9", "٣", "9" * 5000):
        refused(headers={**signed(), "webhook-timestamp": time})
    verified(now=NOW + 400, tolerance=400)


def test_one_of_several_signatures_is_enough() -> None:
    other = signed(b"other")["webhook-signature"]
    verified(headers={**signed(), "webhook-signature": f"{other} {signed()['webhook-signature']}"})


def test_a_public_key_checks_ed25519() -> None:
    key = Ed25519PrivateKey.generate()
    public = "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()
    own = "v1a," + base64.b64encode(key.sign(f"msg_1.{NOW}.".encode() + BODY)).decode()
    both = {**signed(), "webhook-signature": f"{signed()['webhook-signature']} {own}"}
    verified(headers=both, secret=public)
    refused(headers=both, secret=public, body=BODY + b" ")
    refused(secret=public)
    # A secret doesn't accept what a public key would.
    refused(headers={**both, "webhook-signature": own})
