import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness import Api, failure

import slugline
from slugline import _api
from slugline._operation import Operation

TAG: dict[str, Any] = {
    **{"id": "tag_1", "name": "a", "color": "gray", "links": 0, "version": 1},
    **{"created_at": "2026-05-04T09:30:12.345Z", "updated_at": "2026-05-04T09:30:12.345Z"},
}
EVENT: dict[str, Any] = {
    **{"id": "evt_1", "sequence": 1, "type": "tag.created", "at": "2026-05-04T09:30:12.345Z"},
    **{"actor": {"type": "user", "id": "usr_1", "name": "Ada"}, "object": TAG, "previous": {}},
}


def test_there_is_a_method_for_every_operation() -> None:
    folder = Path(str(_api.__file__)).parent
    generated = {path.stem for path in folder.glob("api/*/*.py")} - {"__init__"}
    client = slugline.Slugline("https://s.example")
    parts = [client, *(part for name, part in vars(client).items() if not name.startswith("_"))]
    methods = [value for part in parts for kind in type(part).__mro__ for value in vars(kind).values()]
    operations = [getattr(value, "operation", value) for value in methods]
    reached = {each.build.__name__ for each in operations if isinstance(each, Operation)}
    assert reached == generated
    document = json.loads((Path(__file__).parents[3] / "openapi.json").read_text())
    paths = [item for path, item in document["paths"].items() if path.startswith("/api/v1")]
    assert len(generated) == sum(len(item) for item in paths)


def test_lists_request_pages_as_they_are_needed(api: Api) -> None:
    def answer(request: httpx.Request, count: int) -> httpx.Response:
        page = int(request.url.params.get("cursor", 0))
        cursor = str(page + 1) if page < 2 else None
        pagination = {"limit": 2, "has_more": cursor is not None, "next_cursor": cursor}
        data = [{**TAG, "name": f"{letter}{page}"} for letter in "ab"]
        return httpx.Response(200, json={"data": data, "pagination": pagination})

    api.answer = answer
    names = [tag.name for tag in api.items(lambda client: client.tags.list(limit=2), 3)]
    assert names == ["a0", "b0", "a1"]
    assert [request.url.query for request in api.requests] == [b"limit=2", b"limit=2&cursor=1"]
    assert len(api.items(lambda client: client.tags.list())) == 6
    assert len(api.call(lambda client: client.tags.list().page()).data) == 2


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (429, "RATE_LIMITED"),
        (503, "SERVICE_UNAVAILABLE"),
        (500, "INTERNAL_ERROR"),
        (409, "IDEMPOTENCY_IN_PROGRESS"),
    ],
)
def test_a_change_is_repeated_with_the_same_key(api: Api, status: int, code: str) -> None:
    def answer(request: httpx.Request, count: int) -> httpx.Response:
        done = httpx.Response(201, json=TAG)
        return failure(status, code, {"Retry-After": "7"}) if count == 1 else done

    api.answer = answer
    assert api.call(lambda client: client.tags.create(name="a")).id == "tag_1"
    assert api.pauses == [7]
    api.call(lambda client: client.tags.create(name="a"))
    keys = [request.headers["Idempotency-Key"] for request in api.requests]
    assert keys[0] == keys[1] != keys[2]
    assert [json.loads(request.content) for request in api.requests] == [{"name": "a"}] * 3


def test_a_request_without_a_response_is_repeated(api: Api) -> None:
    def answer(request: httpx.Request, count: int) -> httpx.Response:
        if count == 1:
            raise httpx.ReadTimeout("too slow")
        return httpx.Response(200, json=TAG)

    api.answer = answer
    assert api.call(lambda client: client.tags.get("tag_1")).name == "a"
    assert 0.25 <= api.pauses[0] <= 0.5


def test_a_key_is_not_created_twice(api: Api) -> None:
    api.answer = lambda request, count: failure(503, "SERVICE_UNAVAILABLE")
    with pytest.raises(slugline.ServerError):
        api.call(lambda client: client.keys.create(name="a", scopes=["links:read"]))
    assert len(api.requests) == 1
    assert "Idempotency-Key" not in api.requests[0].headers


def test_retries_end(api: Api) -> None:
    api.answer = lambda request, count: failure(500, "INTERNAL_ERROR")
    with pytest.raises(slugline.ServerError):
        api.call(lambda client: client.with_options(max_retries=1).tags.get("tag_1"))
    assert len(api.requests) == 2
    api.answer = lambda request, count: failure(429, "RATE_LIMITED", {"Retry-After": "3600"})
    with pytest.raises(slugline.RateLimitError) as raised:
        api.call(lambda client: client.tags.get("tag_1"))
    assert raised.value.retry_after == 3600
    assert len(api.requests) == 3


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "LINK_NOT_FOUND", slugline.NotFoundError),
        (409, "SLUG_TAKEN", slugline.SlugTakenError),
        (403, "PLAN_LIMIT_REACHED", slugline.PlanLimitError),
        (410, "EVENTS_EXPIRED", slugline.EventsExpiredError),
        (412, "PRECONDITION_FAILED", slugline.PreconditionFailedError),
        (422, "A_CODE_OF_LATER", slugline.ValidationError),
        (418, "A_STATUS_OF_LATER", slugline.SluglineError),
    ],
)
def test_an_error_has_its_class(
    api: Api, status: int, code: str, kind: type[slugline.SluglineError]
) -> None:
    details = [{"field": "slug", "code": "X", "message": "x"}]
    api.answer = lambda request, count: failure(
        status, code, suggestions=["b"], oldest="evt_1", details=details
    )
    with pytest.raises(kind) as raised:
        api.call(lambda client: client.me())
    error = raised.value
    assert type(error) is kind
    assert (error.code, error.status, error.request_id) == (code, status, "req_1")
    assert error.details == [slugline.ErrorDetail("slug", "X", "x")]
    if isinstance(error, slugline.SlugTakenError):
        assert error.suggestions == ["b"]
    if isinstance(error, slugline.EventsExpiredError):
        assert error.oldest == "evt_1"
    assert len(api.requests) == 1


@pytest.mark.parametrize("body", ["<h1>Not here</h1>", "[]", '{"error":"x"}', '{"error":{}}'])
def test_a_proxys_page_has_the_status_as_its_code(api: Api, body: str) -> None:
    api.answer = lambda request, count: httpx.Response(404, text=body)
    with pytest.raises(slugline.NotFoundError) as raised:
        api.call(lambda client: client.me())
    assert raised.value.code == "HTTP_404"
    api.answer = lambda request, count: httpx.Response(200, text="<h1>Hello</h1>")
    with pytest.raises(slugline.SluglineError) as invalid:
        api.call(lambda client: client.me())
    assert invalid.value.code == "INVALID_RESPONSE"


def test_an_unreachable_server_is_an_error_with_its_cause() -> None:
    with slugline.Slugline("http://127.0.0.1:1", max_retries=0) as client:
        with pytest.raises(slugline.ConnectionFailedError) as raised:
            client.plans.list().page()
    assert isinstance(raised.value.__cause__, httpx.ConnectError)


@pytest.mark.parametrize("id", ["", ".", ".."])
def test_an_id_that_would_be_another_path_is_refused(api: Api, id: str) -> None:
    with pytest.raises(ValueError):
        api.call(lambda client: client.tags.delete(id))
    assert api.requests == []


def test_what_is_given_is_sent(api: Api) -> None:
    api.answer = lambda request, count: httpx.Response(200, json=TAG)
    api.call(lambda client: client.tags.update("a/b", name="b", if_match=3, dry_run=True))
    (request,) = api.requests
    assert request.url.raw_path == b"/api/v1/tags/a%2Fb?dry_run=true"
    assert request.headers["If-Match"] == '"3"'
    assert request.headers["Authorization"] == "Bearer slug_test"
    assert json.loads(request.content) == {"name": "b"}


def stream(*blocks: str) -> httpx.Response:
    return httpx.Response(200, text="\n\n".join(blocks) + "\n\n")


def test_events_resume_after_the_last_one(api: Api) -> None:
    event = json.dumps(EVENT, ensure_ascii=False)
    answers = [
        stream("retry: 2000\nid: evt_0", f"id: evt_1\ndata: {event}"),
        failure(503, "SERVICE_UNAVAILABLE"),
        stream(":\nid: evt_7", ":"),
        stream("id: evt_8\ndata: " + json.dumps({**EVENT, "id": "a\u2028b"}, ensure_ascii=False)),
    ]
    api.answer = lambda request, count: answers[count - 1]
    api.options["max_retries"] = 0
    seen = api.items(lambda client: client.events.follow(after="latest"), 2)
    assert [event.id for event in seen] == ["evt_1", "a\u2028b"]
    assert [request.headers.get("Last-Event-ID") for request in api.requests] == [
        None,
        "evt_1",
        "evt_1",
        "evt_7",
    ]


def test_events_end_with_an_error_that_a_retry_cannot_mend(api: Api) -> None:
    api.answer = lambda request, count: failure(410, "EVENTS_EXPIRED", oldest=None)
    with pytest.raises(slugline.EventsExpiredError):
        api.items(lambda client: client.events.follow(after="evt_1"))
    assert len(api.requests) == 1
