import type { TestCluster } from './cluster.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** The nodes under test. */
type Nodes = Pick<TestCluster, 'nodes' | 'key'>

/** How often each response occurred. */
export type Tally = Map<string, number>

function count(tally: Tally, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}

function nodeAt({ nodes }: Nodes, i: number) {
  return nodes[i % nodes.length] as Nodes['nodes'][0]
}

/** Concurrent creations of one slug and its variants, spread over the nodes, in each round. */
export async function raceForSlugs(cluster: Nodes, rounds: number, at: number): Promise<Tally[]> {
  const all: Tally[] = []
  for (let round = 0; round < rounds; round++) {
    const name = `${at}-${round}-${Date.now().toString(36)}`
    const twins = [`Café-${name}`, `CAFÉ-${name}`, `café-${name}`.normalize('NFD'), `café-${name}`]
    const tally: Tally = new Map()
    await Promise.all(
      Array.from({ length: at }, async (_, i) => {
        const answer = await nodeAt(cluster, i).call('POST', '/api/v1/links', {
          key: cluster.key,
          body: { destination_url: 'https://example.com/', slug: twins[(i >> 2) % twins.length] },
        })
        const { error } = (await answer.json()) as { error?: { code: string } }
        count(tally, error === undefined ? `${answer.status}` : `${answer.status} ${error.code}`)
      }),
    )
    all.push(tally)
  }
  return all
}

/** People at a link with `max_clicks`, beside bots and HEAD. Returns the people's responses. */
export async function crowd(cluster: Nodes, max: number, people: number): Promise<Tally> {
  const slug = `crowd-${Date.now().toString(36)}`
  const body = { destination_url: 'https://example.com/', slug, max_clicks: max }
  const { key } = cluster
  const made = await nodeAt(cluster, 0).call('POST', '/api/v1/links', { key, body })
  if (made.status !== 201) throw new Error(`A link was not made: ${made.status}`)
  const tally: Tally = new Map()
  const visit = async (i: number, method: string, agent: string) => {
    const headers = { 'user-agent': agent }
    const answer = await nodeAt(cluster, i).call(method, `/${slug}`, { headers })
    await answer.text()
    return answer.status
  }
  await Promise.all(
    Array.from({ length: people }, async (_, i) => {
      if (i % 4 === 0) await visit(i + 1, 'HEAD', BROWSER)
      if (i % 3 === 0) await visit(i + 2, 'GET', BOT)
      count(tally, String(await visit(i, 'GET', BROWSER)))
    }),
  )
  return tally
}

/** The result of repeated requests with one key each. */
export interface Repeated {
  keys: number
  answered: number
  /** Keys whose responses differed in any byte. */
  differing: number
  /** Links that are there. */
  links: number
  kills: number
}

/**
 * Requests with idempotency keys, each `retries` times concurrently at different nodes; every
 * fourth connection is dropped, and nodes are killed.
 */
export async function repeat(
  cluster: Nodes,
  { keys, retries, kills }: { keys: number; retries: number; kills: number },
): Promise<Repeated> {
  const { nodes, key } = cluster
  const run = `again-${Date.now().toString(36)}`
  const work = Array.from({ length: keys }, (_, i) => i)
  const down = new Set<number>()
  let answered = 0
  let differing = 0
  let done = 0

  /** Retries until there is a response. */
  async function withRetry(name: string, first: number): Promise<string> {
    for (let i = first; ; i++) {
      const at = i % nodes.length
      if (down.has(at)) continue
      try {
        const dropAfterMs = Math.random() < 0.25 ? Math.random() * 8 : 30_000
        const answer = await fetch(`${nodes[at]?.url}/api/v1/links`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'idempotency-key': name,
          },
          body: JSON.stringify({ destination_url: 'https://example.com/', external_id: name }),
          signal: AbortSignal.timeout(Math.ceil(dropAfterMs)),
        })
        const body = await answer.text()
        if (answer.status === 201) return body
        if (answer.status !== 409 && answer.status !== 503)
          throw new OperatorError(String(answer.status))
      } catch (error) {
        if (error instanceof OperatorError) throw error
      }
      await Bun.sleep(2)
    }
  }
  async function runner(): Promise<void> {
    for (let n = work.pop(); n !== undefined; n = work.pop()) {
      const name = `${run}-${n}`
      const at = n
      const bodies = await Promise.all(
        Array.from({ length: retries }, (_, i) => withRetry(name, at + i)),
      )
      answered += bodies.length
      if (new Set(bodies).size !== 1) differing++
      done++
    }
  }
  async function killer(): Promise<void> {
    for (let i = 0; i < kills; i++) {
      while (done < (keys * (i + 0.5)) / kills) await Bun.sleep(5)
      const victim = i % nodes.length
      down.add(victim)
      await nodes[victim]?.kill()
      await nodes[victim]?.restart()
      down.delete(victim)
    }
  }
  await Promise.all([killer(), ...Array.from({ length: 20 }, runner)])
  const list = await nodeAt(cluster, 0).call('GET', `/api/v1/links?search=${run}&limit=1`, { key })
  const { pagination } = (await list.json()) as { pagination: { total: number } }
  return { keys, answered, differing, links: pagination.total, kills }
}

class OperatorError extends Error {}

/** How many requests a plan's rate allowed. */
export interface Admitted {
  offered: number
  admitted: number
  /** Burst and rate together. */
  bound: number
  /** The rate alone. */
  sustained: number
}

/** Sends `times` the rate of a key's plan through all nodes. */
export async function offer(
  { nodes }: Nodes,
  plan: { key: string; perMinute: number; burst: number },
  { times, seconds }: { times: number; seconds: number },
): Promise<Admitted> {
  const perSecond = (plan.perMinute / 60) * times
  const pending = new Set<Promise<void>>()
  let offered = 0
  let admitted = 0
  async function call(url: string): Promise<void> {
    const answer = await fetch(`${url}/api/v1/links?limit=1`, {
      headers: { authorization: `Bearer ${plan.key}` },
    })
    await answer.text()
    if (answer.status === 200) admitted++
    else if (answer.status !== 429) throw new OperatorError(String(answer.status))
  }
  const begin = performance.now()
  const elapsed = () => (performance.now() - begin) / 1_000
  while (elapsed() < seconds) {
    for (const until = elapsed() * perSecond; offered < until; offered++) {
      const work = call(nodes[offered % nodes.length]?.url ?? '')
      pending.add(work)
      void work.finally(() => pending.delete(work))
    }
    await Bun.sleep(5)
  }
  await Promise.all(pending)
  const sustained = (plan.perMinute / 60) * elapsed()
  return { offered, admitted, bound: plan.burst + sustained, sustained }
}
