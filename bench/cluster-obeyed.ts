/**
 * How soon a change made on one of four nodes takes effect on the others: a link edited, disabled,
 * deleted or created, a key revoked; and a link edited without an announcement, as if the node that
 * did it had died. From the response to the change until another node's first response that reflects
 * it.
 * Usage: bin/bun bench/cluster-obeyed.ts [--rounds 100] [--rate 400]
 */
import { parseArgs } from 'node:util'
import { Browser } from '../src/features/accounts/testing/browser.ts'
import { startCluster } from '../test/harness/cluster.ts'
import type { Slugline } from '../test/harness/process.ts'
import { startVisits } from '../test/harness/visits.ts'
import { startWrites } from '../test/harness/writes.ts'
import { machine, quantile } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    rate: { type: 'string', default: '400' },
  },
})
const rounds = Number(values.rounds)
const rate = Number(values.rate)
const KINDS = ['edited', 'disabled', 'deleted', 'made', 'key revoked', 'not announced'] as const
type Kind = (typeof KINDS)[number]
/** How long messages about a link's creation may be delayed: a late one would invalidate caches. */
const SETTLE_MS = 50

const cluster = await startCluster({ env: { LOG_LEVEL: 'error' } })
const { nodes, key } = cluster
const owner = await signUp(nodes[0] as Slugline)
let made = 0

const tables: Record<string, Record<string, unknown>> = {}
try {
  await measureAll('at rest')
  const hot = await makeHot()
  const visits = startVisits({
    targets: () => nodes.map(({ url }) => url),
    perSecond: rate,
    most: 10_000_000,
    path: (mark) => `/${hot[mark % hot.length]}`,
  })
  const writes = startWrites({ nodes, key, name: 'load', isUp: () => true })
  const begin = performance.now()
  await measureAll('under load')
  const seconds = (performance.now() - begin) / 1_000
  await Promise.all([visits.stop(), writes.stop()])
  console.log(machine())
  console.log(
    `4 nodes, ${rounds} rounds, each seen by the other nodes; the load: ` +
      `${Math.round(visits.answered / seconds)} visits/s, ` +
      `${Math.round(writes.summary().made / seconds)} links made/s`,
  )
  console.table(tables)
} finally {
  await cluster.dispose()
}

async function measureAll(when: string): Promise<void> {
  const all: Record<Kind, Seen[]> = {
    edited: [],
    disabled: [],
    deleted: [],
    made: [],
    'key revoked': [],
    'not announced': [],
  }
  for (let round = 0; round < rounds; round++) {
    for (const kind of KINDS) all[kind].push(...(await measure(kind, round % nodes.length)))
  }
  for (const kind of KINDS) tables[`${kind}, ${when}`] = rowOf(all[kind])
  tables[`all, ${when}`] = rowOf(KINDS.flatMap((kind) => all[kind]))
}

interface Seen {
  /** Until the response that reflected it had arrived, in milliseconds. */
  afterMs: number
  /** Responses that didn't, to requests sent after the change was confirmed. */
  stale: number
}

function rowOf(seen: readonly Seen[]) {
  const after = seen.map(({ afterMs }) => afterMs)
  return {
    'p50 ms': quantile(after, 0.5).toFixed(1),
    'p99 ms': quantile(after, 0.99).toFixed(1),
    'most ms': Math.max(...after).toFixed(1),
    'at once': `${((100 * seen.filter(({ stale }) => stale === 0).length) / seen.length).toFixed(1)} %`,
  }
}

async function measure(kind: Kind, at: number): Promise<Seen[]> {
  const node = nodes[at] as Slugline
  const others = nodes.filter((_, i) => i !== at)
  const slug = `o${++made}`
  if (kind === 'key revoked') return revoke(node, others)
  if (kind === 'made') {
    for (const other of others) await visit(other, slug)
    await create(node, slug)
    return see(others, async (other) => (await visit(other, slug)).status === 302)
  }
  const { id } = await create(node, slug)
  await Bun.sleep(SETTLE_MS)
  for (const other of others) for (let i = 0; i < 2; i++) await visit(other, slug)
  if (kind === 'deleted') {
    await expectStatus(node.call('DELETE', `/api/v1/links/${id}`, { key }), 204)
    return see(others, async (other) => (await visit(other, slug)).status === 404)
  }
  const destination_url = `https://new.example/${slug}`
  const isEdited = async (other: Slugline) =>
    (await visit(other, slug)).headers.get('location') === destination_url
  if (kind === 'not announced') {
    const change = `UPDATE slugs SET target_url = '${destination_url}' WHERE slug_key = '${slug}'`
    await cluster.postgres.admin(change, cluster.database)
    return see(nodes, isEdited)
  }
  const body = kind === 'edited' ? { destination_url } : { enabled: false }
  await expectStatus(node.call('PATCH', `/api/v1/links/${id}`, { key, body }), 200)
  return see(others, async (other) => {
    if (kind === 'edited') return isEdited(other)
    return (await visit(other, slug)).status === 410
  })
}

async function revoke(node: Slugline, others: readonly Slugline[]): Promise<Seen[]> {
  const body = { name: 'short-lived', scopes: ['links:read'] }
  const mine = owner(node)
  const answer = await mine.post('/app/api/v1/keys', body)
  const { id, key } = answer.body as { id: string; key: string }
  const call = (other: Slugline) => other.call('GET', '/api/v1/links?limit=1', { key })
  for (const other of others) await expectStatus(call(other), 200)
  const gone = await mine.send('DELETE', `/app/api/v1/keys/${id}`)
  if (gone.status !== 204) throw new Error(`The key was not revoked: ${gone.status}`)
  return see(others, async (other) => {
    const { status } = await call(other)
    return status === 401
  })
}

/** Polls each of the others until it reflects the change. */
async function see(
  others: readonly Slugline[],
  follows: (other: Slugline) => Promise<boolean>,
): Promise<Seen[]> {
  const begin = performance.now()
  return Promise.all(
    others.map(async (other) => {
      for (let stale = 0; ; stale++) {
        if (await follows(other)) return { afterMs: performance.now() - begin, stale }
        if (performance.now() - begin > 30_000) throw new Error('The change never took effect')
      }
    }),
  )
}

async function create(node: Slugline, slug: string): Promise<{ id: string }> {
  const body = { destination_url: 'https://old.example/', slug }
  const answer = await expectStatus(node.call('POST', '/api/v1/links', { key, body }), 201)
  return (await answer.json()) as { id: string }
}

function visit(node: Slugline, slug: string): Promise<Response> {
  return fetch(`${node.url}/${slug}`, { redirect: 'manual' })
}

async function expectStatus(call: Promise<Response>, status: number): Promise<Response> {
  const answer = await call
  if (answer.status !== status) throw new Error(`${answer.status}: ${await answer.text()}`)
  return answer
}

async function makeHot(): Promise<string[]> {
  const slugs = Array.from({ length: 100 }, (_, i) => `hot${i}`)
  for (const slug of slugs) await create(nodes[0] as Slugline, slug)
  return slugs
}

/** The owner of the instance, on any node. */
async function signUp(first: Slugline): Promise<(node: Slugline) => Browser> {
  let at = first
  const app = {
    fetch(request: Request) {
      const { pathname, search } = new URL(request.url)
      return fetch(new Request(at.url + pathname + search, request), { redirect: 'manual' })
    },
  }
  const browser = new Browser('http://sho.rt', app, '127.0.0.1')
  const { stdout } = await first.cli('users', 'claim-link', '--json')
  const token = new URL(JSON.parse(stdout).url).hash.slice('#token='.length)
  const person = { email: 'ann@example.com', password: 'correct horse battery', name: 'Ann' }
  const seen = await browser.post('/app/api/v1/claim', { token, ...person, workspace: 'Acme' })
  if (seen.status !== 201) throw new Error(`The instance was not claimed: ${seen.status}`)
  browser.workspace = seen.body.workspace.id
  return (node) => {
    at = node
    return browser
  }
}
