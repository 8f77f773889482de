"""Against the server at SLUGLINE_URL, with SLUGLINE_API_KEY."""

import asyncio
import os
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread

import pytest

from slugline import AsyncSlugline, NotFoundError, Slugline, verify_webhook
from slugline.models import LinkBulkOperationCreate, LinkCreate, RuleConditionsInput, RuleInput, RuleThenInput

URL = os.environ.get("SLUGLINE_URL", "")
KEY = os.environ.get("SLUGLINE_API_KEY", "")

pytestmark = pytest.mark.skipif(URL == "", reason="needs a server")


@pytest.fixture
def slugline() -> Iterator[Slugline]:
    with Slugline(URL, api_key=KEY) as client:
        yield client


def test_links_events_and_files(slugline: Slugline) -> None:
    after = slugline.events.list(after="latest").pagination.next_cursor
    assert after is not None
    made = [
        slugline.links.create(destination_url=f"https://example.com/{number}", tags=["python"]).id
        for number in range(3)
    ]
    seen: list[str] = []
    for event in slugline.events.follow(after=after):
        if event.type_ == "link.created":
            seen.append(event.object_["id"])
        if len(seen) == 3:
            break
    assert seen == made
    assert {link.id for link in slugline.links.list(limit=1, id=made)} == set(made)
    assert b"<svg" in slugline.links.qr_svg(made[0], size=128)
    lines = list(slugline.links.export_ndjson(tag=["python"]).iter_lines())
    assert len(lines) == 3
    one = slugline.links.get(made[0])
    changed = slugline.links.update(one.id, title="New", if_match=one.version)
    assert changed.title == "New"
    assert slugline.links.update(one.id, title=None).title is None
    assert slugline.links.top(one.id, "country").data == []
    slugline.links.delete(made[0])
    with pytest.raises(NotFoundError) as raised:
        slugline.links.get(made[0])
    assert raised.value.code == "LINK_NOT_FOUND"
    assert (raised.value.request_id or "").startswith("req_")


def test_a_request_with_a_key_has_one_effect(slugline: Slugline) -> None:
    links = [
        slugline.links.create(destination_url="https://example.com/", idempotency_key="python-once")
        for _ in range(2)
    ]
    assert links[0].id == links[1].id


def test_objects_of_requests(slugline: Slugline) -> None:
    rule = RuleInput(
        when=RuleConditionsInput(country=["DE"]),
        then=RuleThenInput(destination_url="https://example.com/de"),
    )
    link = LinkCreate(destination_url="https://example.com/", external_id="python-1")
    done = slugline.links.bulk(operations=[LinkBulkOperationCreate(op="create", link=link)])
    assert done.summary.succeeded == 1
    put = slugline.links.put_by_external_id(
        "python-1", destination_url="https://example.com/2", rules=[rule]
    )
    assert put.external_id == "python-1"
    moved = slugline.links.update_by_external_id("python-1", external_id="python-2")
    assert moved.external_id == "python-2"
    assert slugline.links.restore(moved.id, version=1).version > 1


def test_an_upload(slugline: Slugline) -> None:
    rows = "destination_url,slug\nhttps://example.com/,from-python\n"
    job = slugline.imports.create(rows, content_type="text/csv")
    while slugline.jobs.get(job.id).finished_at is None:
        pass
    assert [row.status for row in slugline.imports.rows(job.id)] == ["created"]
    url = slugline.links.list(slug=["from-python"]).page().data[0].short_url
    assert slugline.links.look_up(url=url).slug == "from-python"


def test_many_at_a_time() -> None:
    async def main() -> None:
        async with AsyncSlugline(URL, api_key=KEY) as slugline:
            many = (slugline.links.create(destination_url="https://example.com/") for _ in range(20))
            made = {link.id for link in await asyncio.gather(*many)}
            assert len(made) == 20
            listed = {link.id async for link in slugline.links.list(id=list(made), limit=5)}
            assert listed == made
            assert (await slugline.me()).scopes
            exported = await slugline.links.export_csv()
            assert (await exported.aread()).startswith(b"\xef\xbb\xbf") or exported.text

    asyncio.run(main())


def test_a_delivered_webhook_is_valid_by_its_secret_and_its_public_key(slugline: Slugline) -> None:
    received: Queue[tuple[bytes, dict[str, str]]] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.put((body, dict(self.headers.items())))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/"
        webhook = slugline.webhooks.create(url=url, types=["link.created"])
        link = slugline.links.create(destination_url="https://example.com/")
        body, headers = received.get(timeout=60)
        for secret in (webhook.secret, webhook.public_key):
            event = verify_webhook(body=body, headers=headers, secret=secret)
            assert (event.type_, event.object_["id"]) == ("link.created", link.id)
        slugline.webhooks.delete(webhook.id)
    finally:
        server.shutdown()
