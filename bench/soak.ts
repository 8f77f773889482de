/**
 * Memory over time: visits at a steady rate from ever new visitors, a report every few seconds, and
 * the resident memory of each process every half minute (`files`: mapped pages, which the system can
 * take back).
 * Usage: bin/bun bench/soak.ts [--minutes 10] [--rate 500] [--links 1000] [--every 3]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { seeded } from '../test/harness/random.ts'
import { userAgents } from './lib/clicks.ts'
import { cpuSeconds, family, machine, quantile } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { slugAt } from './lib/wrk.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '500' },
    links: { type: 'string', default: '1000' },
    every: { type: 'string', default: '3' },
  },
})
const [minutes, rate, links, every] = [
  Number(values.minutes),
  Number(values.rate),
  Number(values.links),
  Number(values.every),
]
const CONNECTIONS = 32
const ROW_MS = 30_000
const TICK_MS = 10

const slugline = await startSlugline({
  DATABASE_URL: '',
  TRUSTED_PROXIES: '127.0.0.1',
  LOG_LEVEL: 'warn',
})
const { key } = await slugline.createKey()
await slugline.stop()
seedLinks(slugline.dataDir, { workspaceNo: 1, links })
await slugline.restart()

const begun = new Date().toISOString().slice(0, 10)
const random = seeded(1)
const agents = userAgents(random)
const visits = await openVisits()
const reports: number[] = []
const failures: string[] = []
const timers = [
  setInterval(visits.tick, TICK_MS),
  setInterval(() => report().catch((error) => failures.push(String(error))), every * 1_000),
  setInterval(() => console.log(row()), ROW_MS),
]
console.log(machine())
console.log(`${rate} visits/s, ${links} links, a report every ${every} s`)
console.log(row())
await Bun.sleep(minutes * 60_000 + TICK_MS)
for (const timer of timers) clearInterval(timer)
console.log(
  `reports: ${reports.length}, p50 ${quantile(reports, 0.5).toFixed(0)} ms, p99 ${quantile(reports, 0.99).toFixed(0)} ms`,
  failures.length === 0 ? '' : failures.slice(0, 5),
)
console.log(`answers: ${JSON.stringify(Object.fromEntries(visits.answers))}`)
console.log(`counted: ${await counted()}`)
await slugline.dispose()
process.exit()

/** One report after another, with varying times and dimensions. */
async function report(): Promise<void> {
  const today = new Date().toISOString().slice(0, 10)
  const paths = [
    `/stats?from=${today}`,
    `/stats/referrer?from=${today}`,
    `/stats/browser?from=${today}`,
    `/stats/link?from=${today}`,
    '/links?limit=20',
  ]
  const path = paths[reports.length % paths.length] as string
  const begin = performance.now()
  const answer = await slugline.call('GET', `/api/v1${path}`, { key })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  reports.push(performance.now() - begin)
}

/** The clicks, bots' too, that statistics know, asked until two readings a second apart are equal. */
async function counted(): Promise<number> {
  let before = -1
  for (;;) {
    const answer = await slugline.call('GET', `/api/v1/stats?from=${begun}`, { key })
    // While the last clicks are stored, a report may be refused.
    if (answer.status === 503) {
      await Bun.sleep(1_000)
      continue
    }
    const { totals } = (await answer.json()) as { totals: { clicks: number; bots: number } }
    const clicks = totals.clicks + totals.bots
    if (clicks === before) return clicks
    before = clicks
    await Bun.sleep(1_000)
  }
}

/** Resident memory in MB, and CPU in seconds, of each process. */
function row(): string {
  const cells = family(slugline.pid).flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      const name = ['click-worker', 'statistics'].find((word) => command.includes(word)) ?? 'serve'
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      const mb = (field: string) =>
        (Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024).toFixed(0)
      const cpu = cpuSeconds(pid).toFixed(0)
      return [`${name} ${mb('VmRSS')} MB (files ${mb('RssFile')}) ${cpu} s`]
    } catch {
      return []
    }
  })
  const seconds = (performance.now() / 1_000).toFixed(0).padStart(5)
  return `${seconds} s  ${cells.join('  |  ')}  |  ${visits.answered()} visits`
}

/** Keeps connections open, each of which sends the next visit after a response. */
async function openVisits() {
  const { hostname, port } = new URL(slugline.url)
  const answers = new Map<string, number>()
  const idle: Bun.Socket[] = []
  const begin = performance.now()
  let sent = 0
  let count = 0
  const send = (socket: Bun.Socket) => {
    sent++
    const slug = slugAt(Math.floor(links ** random()) - 1)
    const address = [1, 2, 3].map(() => 1 + Math.floor(random() * 220)).join('.')
    const lines = [
      `GET /${slug}?utm_source=s${Math.floor(random() * 20)} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `User-Agent: ${agents[Math.floor(agents.length ** random()) - 1]}`,
      `X-Forwarded-For: ${address}.7`,
      `Referer: https://site${Math.floor(2_000 ** random())}.example/${Math.floor(random() * 50)}`,
      'Accept-Language: de-DE,de;q=0.9',
    ]
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  }
  for (let i = 0; i < CONNECTIONS; i++) {
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data(from, bytes) {
          const status = bytes.toString('latin1', 9, 12)
          answers.set(status, (answers.get(status) ?? 0) + 1)
          count++
          idle.push(from)
        },
      },
    })
    idle.push(socket)
  }
  return {
    answers,
    answered: () => count,
    tick() {
      const due = ((performance.now() - begin) / 1_000) * rate
      while (sent < due && idle.length > 0) send(idle.shift() as Bun.Socket)
    },
  }
}
