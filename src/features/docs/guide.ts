import type { OpenApiParts } from '../../http/openapi-share.ts'
import { type SampleRequest, type Samples, samplesOf } from './samples.ts'

/** A section before the endpoints. */
export interface GuideSection {
  id: string
  title: string
  /** In the Markdown subset of the page. */
  text: string
  samples?: Samples[]
}

/** The guide: an overview, the quick start, and what the document says about all endpoints. */
export function guideOf({ info }: OpenApiParts, baseUrl: string): GuideSection[] {
  const [overview = '', ...rest] = (info.description ?? '').split(/^## /m)
  const samples = guideSamples(`${baseUrl}/api/v1`)
  const sections = rest.map((section) => {
    const title = section.slice(0, section.indexOf('\n'))
    const id = title.toLowerCase().replaceAll(' ', '-')
    return { id, title, text: section.slice(title.length).trim(), samples: samples[id] ?? [] }
  })
  return [
    { id: 'overview', title: 'Overview', text: overview.trim() },
    {
      id: 'quick-start',
      title: 'Quick start',
      text: QUICK_START.replace('URL', baseUrl),
      samples: quickStart(`${baseUrl}/api/v1`),
    },
    ...sections,
  ]
}

const QUICK_START = `Create an API key in the dashboard (\`URL/app/keys\`) with the scopes \`links:read\`, \`links:write\` and \`events:read\`, and put it into the environment: \`export SLUGLINE_API_KEY=slug_…\`. The samples on this page read it from there. They need curl, or Node.js 20 or newer (as a module: \`.mjs\`, or \`.ts\` with Bun), or Python 3.

Then create a link, open its \`short_url\`, and read the statistics of all links. Clicks appear within seconds.`

const KEY = { Authorization: 'Bearer $SLUGLINE_API_KEY' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

function quickStart(api: string): Samples[] {
  const create: SampleRequest = {
    method: 'POST',
    url: `${api}/links`,
    headers: { ...KEY, ...JSON_TYPE },
    body: { json: { destination_url: 'https://example.com/summer' } },
    response: 'json',
  }
  const read: SampleRequest = {
    method: 'GET',
    url: `${api}/stats`,
    headers: KEY,
    response: 'json',
  }
  return [samplesOf(create), samplesOf(read)]
}

/** Samples by the section that they are shown in. */
function guideSamples(api: string): Readonly<Record<string, Samples[]>> {
  return { pagination: [everyLink(api)], idempotency: [retry(api)], events: [follow(api)] }
}

const everyLink = (api: string): Samples => ({
  curl: `cursor=
while
  page=$(curl -fsS "${api}/links?limit=100$cursor" \\
    -H "Authorization: Bearer $SLUGLINE_API_KEY")
  echo "$page" | jq -r '.data[].short_url'
  next=$(echo "$page" | jq -r '.pagination.next_cursor // empty')
  [ -n "$next" ]
do
  cursor="&cursor=$next"
done`,
  typescript: `let cursor = ''
do {
  const response = await fetch(\`${api}/links?limit=100\${cursor && \`&cursor=\${cursor}\`}\`, {
    headers: { Authorization: \`Bearer \${process.env.SLUGLINE_API_KEY}\` },
  })
  if (!response.ok) throw new Error(await response.text())
  const page = await response.json()
  for (const link of page.data) console.log(link.short_url)
  cursor = page.pagination.next_cursor
} while (cursor)`,
  python: `import json
import os
import urllib.request

headers = {"Authorization": f"Bearer {os.environ['SLUGLINE_API_KEY']}"}
cursor = ""
while cursor is not None:
    url = "${api}/links?limit=100" + (cursor and f"&cursor={cursor}")
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
        page = json.load(response)
    for link in page["data"]:
        print(link["short_url"])
    cursor = page["pagination"]["next_cursor"]`,
})

const retry = (api: string): Samples => ({
  curl: `curl --retry 3 -X POST '${api}/links' \\
  -H "Authorization: Bearer $SLUGLINE_API_KEY" \\
  -H "Idempotency-Key: campaign-4711-first-link" \\
  -H "Content-Type: application/json" \\
  -d '{"destination_url": "https://example.com/summer"}'`,
  typescript: `async function create(link: { destination_url: string }) {
  const key = crypto.randomUUID()
  for (let attempt = 1; ; attempt++) {
    const response = await fetch('${api}/links', {
      method: 'POST',
      headers: {
        Authorization: \`Bearer \${process.env.SLUGLINE_API_KEY}\`,
        'Idempotency-Key': key,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(link),
    }).catch(() => undefined)
    if (response?.ok) return await response.json()
    const mayPass = response === undefined || [409, 429, 500, 503].includes(response.status)
    if (!mayPass || attempt === 4) throw new Error(await response?.text())
    const seconds = Number(response?.headers.get('Retry-After') ?? attempt)
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  }
}

console.log(await create({ destination_url: 'https://example.com/summer' }))`,
  python: `import json
import os
import time
import urllib.error
import urllib.request
import uuid

def create(link):
    request = urllib.request.Request(
        "${api}/links",
        method="POST",
        headers={
            "Authorization": f"Bearer {os.environ['SLUGLINE_API_KEY']}",
            "Idempotency-Key": str(uuid.uuid4()),
            "Content-Type": "application/json",
        },
        data=json.dumps(link).encode(),
    )
    for attempt in range(1, 5):
        seconds = attempt
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code not in (409, 429, 500, 503) or attempt == 4:
                raise
            seconds = int(error.headers.get("Retry-After", attempt))
        except urllib.error.URLError:
            if attempt == 4:
                raise
        time.sleep(seconds)

print(create({"destination_url": "https://example.com/summer"}))`,
})

const follow = (api: string): Samples => ({
  curl: `after=$(curl -fsS '${api}/events?after=latest' \\
  -H "Authorization: Bearer $SLUGLINE_API_KEY" | jq -r .pagination.next_cursor)
curl -N "${api}/events/stream?after=$after" \\
  -H "Authorization: Bearer $SLUGLINE_API_KEY"`,
  typescript: `let after = 'latest' // Keep it where the program finds it after a restart.
for (;;) {
  const response = await fetch(\`${api}/events?limit=100&after=\${after}\`, {
    headers: { Authorization: \`Bearer \${process.env.SLUGLINE_API_KEY}\` },
  })
  if (!response.ok) throw new Error(await response.text())
  const { data, pagination } = await response.json()
  for (const event of data) console.log(event.sequence, event.type, event.object.id)
  after = pagination.next_cursor
  if (!pagination.has_more) await new Promise((resolve) => setTimeout(resolve, 5000))
}`,
  python: `import json
import os
import time
import urllib.request

headers = {"Authorization": f"Bearer {os.environ['SLUGLINE_API_KEY']}"}
after = "latest"  # Keep it where the program finds it after a restart.
while True:
    url = f"${api}/events?limit=100&after={after}"
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
        page = json.load(response)
    for event in page["data"]:
        print(event["sequence"], event["type"], event["object"]["id"], flush=True)
    after = page["pagination"]["next_cursor"]
    if not page["pagination"]["has_more"]:
        time.sleep(5)`,
})
