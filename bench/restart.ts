/**
 * What visitors notice of a restart: visits at a steady rate, straight or through nginx or Caddy as
 * docs/operating.md sets them up, while the server is restarted, or another one takes over from it.
 * Usage: bin/bun bench/restart.ts [--proxy none|nginx|caddy] [--take-over] [--rate 300] [--times 5]
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test/harness/free-port.ts'
import { settingsOfDocs } from '../test/harness/nginx.ts'
import { startSlugline } from '../test/harness/process.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    proxy: { type: 'string', default: 'none' },
    'take-over': { type: 'boolean', default: false },
    rate: { type: 'string', default: '300' },
    times: { type: 'string', default: '5' },
  },
})
const AROUND_MS = 2_000
const args = values['take-over'] ? ['--take-over'] : []
const env = { DATABASE_URL: '', PORT: String(await freePort()), TRUSTED_PROXIES: '127.0.0.1' }
let slugline = await startSlugline(env, { args })
const { key } = await slugline.createKey()
const body = { destination_url: 'https://example.com/', slug: 'a' }
await slugline.call('POST', '/api/v1/links', { key, body })

const dir = temporaryDirectory()
const proxy = await startProxy()
const outcomes = new Map<string, number>()
const latencies: number[] = []
const open = new Set<Promise<void>>()
const begin = performance.now()
let sent = 0
const timer = setInterval(() => {
  for (; sent < ((performance.now() - begin) / 1_000) * Number(values.rate); sent++) {
    const visited = visit().finally(() => open.delete(visited))
    open.add(visited)
  }
}, 5)

for (let n = 0; n < Number(values.times); n++) {
  await Bun.sleep(AROUND_MS)
  if (values['take-over']) {
    const former = slugline
    slugline = await startSlugline(env, { args, dataDir: slugline.dataDir })
    await former.ended()
  } else {
    await slugline.stop()
    await slugline.restart()
  }
}
await Bun.sleep(AROUND_MS)
clearInterval(timer)
await Promise.all(open)
const longest = Math.max(...latencies).toFixed(0)
console.log(
  `${values.proxy}, ${values.times} × ${values['take-over'] ? 'taken over' : 'restarted'}, ${values.rate} visits/s:`,
  JSON.stringify(Object.fromEntries(outcomes)),
  `longest ${longest} ms`,
)
proxy.child?.kill()
await proxy.child?.exited
await slugline.dispose()
process.exit()

async function visit(): Promise<void> {
  const start = performance.now()
  const outcome = await fetch(`${proxy.url}/a`, { redirect: 'manual' }).then(
    ({ status }) => String(status),
    (error) => String(error.code ?? error),
  )
  latencies.push(performance.now() - start)
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}

async function startProxy(): Promise<{ url: string; child?: Bun.Subprocess }> {
  if (values.proxy === 'none') return { url: slugline.url }
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const file = join(dir, 'proxy.conf')
  const upstream = new URL(slugline.url).host
  const isNginx = values.proxy === 'nginx'
  const caddy = `{\nadmin off\n}\n${url} {\nreverse_proxy ${upstream} {\nlb_try_duration 10s\nlb_try_interval 100ms\n}\n}`
  writeFileSync(file, isNginx ? settingsOfDocs(dir, String(port), upstream) : caddy)
  const command = isNginx
    ? ['nginx', '-e', 'stderr', '-c', file]
    : ['caddy', 'run', '--adapter', 'caddyfile', '--config', file]
  const child = Bun.spawn(command, { stderr: Bun.file(join(dir, 'log')) })
  while (!(await fetch(`${url}/livez`).catch(() => null))?.ok) await Bun.sleep(50)
  return { url, child }
}
