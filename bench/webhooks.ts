/**
 * Webhooks on one machine. First: with many webhooks, half of whose receivers never respond, how long an
 * event takes to those that do. Then: ten webhooks and 10,000 events a minute, with the memory of the
 * serving process. Last: CPU per redirect with a webhook for clicks, and without one; both take turns.
 * Usage: bin/bun bench/webhooks.ts [--workspaces 10] [--each 100] [--events 20] [--minutes 1] [--rounds 4]
 */
import { parseArgs } from 'node:util'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import {
  cpuSeconds,
  machine,
  median,
  memoryOf,
  quantile,
  watchMemory,
  watchStolen,
} from './lib/machine.ts'
import './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    workspaces: { type: 'string', default: '10' },
    each: { type: 'string', default: '100' },
    events: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '4' },
  },
})
const EVENTS_PER_MINUTE = 10_000
const BATCH = 100
const SCOPES = 'links:write,webhooks:write'
const env = { OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'error' }

/** When each event arrived, by its object's id. */
const arrivals = new Map<string, number[]>()
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const { object } = (await request.json()) as { object: { id?: string } }
    if (new URL(request.url).pathname.startsWith('/hang')) return new Promise<Response>(() => {})
    const times = arrivals.get(object.id ?? '') ?? []
    arrivals.set(object.id ?? '', [...times, performance.now()])
    return new Response('ok')
  },
})
const at = (path: string) => `http://127.0.0.1:${receiver.port}${path}`

async function call<T>(its: Slugline, key: string, path: string, body: object): Promise<T> {
  const answer = await its.call('POST', `/api/v1${path}`, { key, body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

const stolen = watchStolen()
const hanging = await measureHanging()
const rate = await measureRate()
const redirects = await measureRedirects()
console.log(machine())
console.log(`stolen ${stolen()}`)
console.table({ [`${hanging.webhooks} webhooks, half hanging`]: hanging.figures })
console.table({ [`${EVENTS_PER_MINUTE} events/min to 10 webhooks`]: rate })
console.table({ 'CPU per redirect, µs': redirects })
await receiver.stop(true)
process.exit(0)

async function measureHanging() {
  const its = await startSlugline(env)
  try {
    const count = Number(values.each)
    const keys: string[] = []
    for (let w = 0; w < Number(values.workspaces); w++) {
      const { key } = await its.createKey({ workspace: `w${w}`, scopes: SCOPES })
      keys.push(key)
      for (let i = 0; i < count; i++) {
        const url = at(i % 2 === 0 ? `/hang/${w}/${i}` : `/${w}/${i}`)
        await call(its, key, '/webhooks', { url, types: ['link.created'] })
      }
    }
    const delays: number[] = []
    for (let event = 0; event < Number(values.events); event++) {
      const key = keys[event % keys.length] as string
      const { id } = await call<{ id: string }>(its, key, '/links', {
        destination_url: 'https://example.com/',
      })
      const begin = performance.now()
      const wanted = Math.floor(count / 2)
      while ((arrivals.get(id)?.length ?? 0) < wanted && performance.now() - begin < 60_000) {
        await Bun.sleep(20)
      }
      const times = arrivals.get(id) ?? []
      if (times.length < wanted) throw new Error(`${times.length} of ${wanted} arrived in a minute`)
      delays.push(...times.map((time) => Math.max(0, time - begin)))
    }
    const figures = {
      p50: Math.round(quantile(delays, 0.5)),
      p95: Math.round(quantile(delays, 0.95)),
      most: Math.round(Math.max(...delays)),
    }
    return { webhooks: count * keys.length, figures }
  } finally {
    await its.dispose()
  }
}

async function measureRate() {
  const its = await startSlugline(env)
  try {
    const { key } = await its.createKey({ scopes: SCOPES })
    for (let i = 0; i < 10; i++) {
      await call(its, key, '/webhooks', { url: at(`/${i}`), types: ['link.created'] })
    }
    const events = EVENTS_PER_MINUTE * Number(values.minutes)
    const link = { destination_url: 'https://example.com/' }
    const operations = Array.from({ length: BATCH }, () => ({ op: 'create', link }))
    arrivals.clear()
    const begin = performance.now()
    const { own: atRest } = memoryOf(its.pid)
    const most = watchMemory(its.pid)
    for (let sent = 0; sent < events; sent += BATCH) {
      await call(its, key, '/links/bulk', { operations })
      const due = (sent / EVENTS_PER_MINUTE) * 60_000 - (performance.now() - begin)
      if (due > 0) await Bun.sleep(due)
    }
    const made = performance.now()
    const sum = () => [...arrivals.values()].reduce((all, { length }) => all + length, 0)
    while (sum() < events * 10 && performance.now() - made < 300_000) {
      await Bun.sleep(100)
    }
    // Of what is mapped, most is the runtime's program, which processes share.
    const { own, all } = most()
    return {
      events,
      arrived: sum(),
      'behind, s': ((performance.now() - made) / 1_000).toFixed(1),
      'own memory at rest, MB': atRest,
      'most own memory, MB': own,
      'most memory, MB': all,
    }
  } finally {
    await its.dispose()
  }
}

async function measureRedirects() {
  const make = async (hasWebhook: boolean) => {
    const its = await startSlugline(env, { wrapper: ['taskset', '-c', '0'] })
    const { key } = await its.createKey({ scopes: SCOPES })
    await call(its, key, '/links', { destination_url: 'https://example.com/', slug: 'one' })
    if (hasWebhook) await call(its, key, '/webhooks', { url: at('/'), types: ['clicks.recorded'] })
    return its
  }
  const servers = [await make(false), await make(true)] as const
  try {
    const figures: [number[], number[]] = [[], []]
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const which of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
        const its = servers[which]
        const before = cpuSeconds(its.pid)
        const script = visitorScript(1, '/one')
        const load = await runLoad({ url: its.url, seconds: 4, connections: 64, core: 1, script })
        const used = ((cpuSeconds(its.pid) - before) / load.requests) * 1e6
        // The first round warms up.
        if (round > 0) figures[which].push(used)
      }
    }
    const [without, withOne] = figures
    return {
      'without webhook': median(without).toFixed(1),
      'with clicks.recorded': median(withOne).toFixed(1),
      ratio: median(withOne.map((one, i) => one / (without[i] as number))).toFixed(3),
    }
  } finally {
    for (const its of servers) await its.dispose()
  }
}
