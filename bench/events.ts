/**
 * The feed of events on four nodes: how long after the response to a change each node's stream has its
 * event, and what a reader of the feed costs the writers. The cost is the CPU time of all nodes and of
 * the database for one change, with and without a program that follows the stream on another node; both
 * take turns in short rounds, and the ratio is the median of those within a round.
 * Usage: bin/bun bench/events.ts [--changes 400] [--rounds 8] [--each 150]
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../test/harness/cluster.ts'
import type { Slugline } from '../test/harness/process.ts'
import { familyCpuSeconds, machine, median, quantile, watchStolen } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '400' },
    rounds: { type: 'string', default: '8' },
    each: { type: 'string', default: '150' },
  },
})
const changes = Number(values.changes)
const each = Number(values.each)
const PAUSE_MS = 20

const cluster = await startCluster({ env: { LOG_LEVEL: 'error' } })
const { nodes, postgres } = cluster
const [first] = nodes as [Slugline]
const { key } = await first.createKey({ scopes: 'links:write,events:read' })
const stolen = watchStolen()
let made = 0
try {
  const delays = await measureDelays()
  const [alone, followed, ratios] = await measureCost()
  console.log(machine())
  console.log(`stolen ${stolen()}`)
  console.table({
    'change → stream, ms': {
      streams: nodes.length,
      p50: Math.round(quantile(delays, 0.5)),
      p95: Math.round(quantile(delays, 0.95)),
      most: Math.round(Math.max(...delays)),
    },
  })
  console.table({
    'CPU per change, ms': {
      alone: (median(alone) * 1_000).toFixed(2),
      followed: (median(followed) * 1_000).toFixed(2),
      ratio: median(ratios).toFixed(3),
    },
  })
} finally {
  await cluster.dispose()
}

/** Makes a link on a node; resolves to its id. */
async function make(node: Slugline): Promise<string> {
  const body = { destination_url: `https://example.com/${made++}` }
  const answer = await node.call('POST', '/api/v1/links', { key, body })
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
  return ((await answer.json()) as { id: string }).id
}

/** Follows a node's stream until it is stopped; `seen` gets the ids of created links. */
async function follow(node: Slugline, seen: (id: string) => void): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const url = `${node.url}/api/v1/events/stream?after=latest&types=link.created`
  const answer = await fetch(url, {
    headers: { authorization: `Bearer ${key}` },
    signal: stop.signal,
  })
  if (!answer.ok || answer.body === null) throw new Error(`stream: ${answer.status}`)
  const read = (async () => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of answer.body as ReadableStream<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true })
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('data: {')) seen(JSON.parse(line.slice(6)).object.id)
      }
    }
  })().catch(() => {})
  return async () => {
    stop.abort()
    await read
  }
}

/** Milliseconds from each response until each node's stream had the event; negative ones count as 0. */
async function measureDelays(): Promise<number[]> {
  const answered = new Map<string, number>()
  const arrived: [id: string, at: number][] = []
  const stops = await Promise.all(
    nodes.map((node) => follow(node, (id) => arrived.push([id, performance.now()]))),
  )
  for (let change = 0; change < changes; change++) {
    const id = await make(nodes[change % nodes.length] as Slugline)
    answered.set(id, performance.now())
    await Bun.sleep(PAUSE_MS)
  }
  const wanted = changes * nodes.length
  const until = performance.now() + 30_000
  while (arrived.length < wanted && performance.now() < until) await Bun.sleep(20)
  if (arrived.length !== wanted) throw new Error(`${arrived.length} of ${wanted} events arrived`)
  await Promise.all(stops.map((stop) => stop()))
  return arrived.map(([id, at]) => Math.max(0, at - (answered.get(id) ?? at)))
}

/** CPU seconds for one change, without and with a reader of another node's stream. */
async function measureCost(): Promise<[number[], number[], number[]]> {
  const [, reading] = nodes as [Slugline, Slugline]
  const of = [...nodes.map(({ pid }) => pid), postgres.pid]
  const cpu = () => of.reduce((sum, pid) => sum + familyCpuSeconds(pid), 0)
  const round = async (isFollowed: boolean): Promise<number> => {
    let seen = 0
    const stop = isFollowed ? await follow(reading, () => seen++) : async () => {}
    const before = cpu()
    for (let change = 0; change < each; change++) await make(first)
    const used = (cpu() - before) / each
    await stop()
    if (isFollowed && seen < each / 2) throw new Error(`the reader got ${seen} of ${each} events`)
    return used
  }
  const alone: number[] = []
  const followed: number[] = []
  await round(false)
  for (let i = 0; i < Number(values.rounds); i++) {
    const order = i % 2 === 0 ? [false, true] : [true, false]
    for (const isFollowed of order) (isFollowed ? followed : alone).push(await round(isFollowed))
  }
  return [alone, followed, followed.map((one, i) => one / (alone[i] as number))]
}
