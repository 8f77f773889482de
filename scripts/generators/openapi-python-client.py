import json
import os

from slugline_api_client import AuthenticatedClient
from slugline_api_client.api.links import create_link, get_link, list_links, update_link
from slugline_api_client.models import Error, Link, LinkCreate, LinkList, LinkPatch

MOST = 2**53 - 1
client = AuthenticatedClient(base_url=os.environ["SLUGLINE_URL"], token=os.environ["SLUGLINE_KEY"])

body = LinkCreate(destination_url="https://example.com/", tags=["generated"])
created = create_link.sync(client=client, body=body)
assert isinstance(created, Link)
got = get_link.sync(created.id, client=client)
page = list_links.sync(client=client, limit=1, tag=["generated"])
changed = update_link.sync(created.id, client=client, body=LinkPatch(title="New", max_clicks=MOST))
missing = get_link.sync("lnk_none", client=client)

results = [
    created.id.startswith("lnk_"),
    isinstance(got, Link) and got.destination_url == "https://example.com/",
    isinstance(page, LinkList) and len(page.data) == 1 and page.pagination.limit == 1,
    isinstance(changed, Link) and changed.title == "New" and changed.max_clicks == MOST,
    isinstance(missing, Error) and missing.error.code == "LINK_NOT_FOUND",
]
print(json.dumps(results))
