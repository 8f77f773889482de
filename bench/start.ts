/**
 * A cold start beside many links: from exec to the first redirect, and to the line that says that it
 * listens; and the CPU that the process has used by then. With several programs they take turns.
 * Usage: bin/bun bench/start.ts [--links 1000000] [--times 10] [--cached] [PROGRAM ...]
 * A program is `bin/slugline` of a checkout, or an executable that `npm run package` made.
 * `--cached`: with Bun's cache of transpiled code, which a checkout has where there is a home.
 */
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test/harness/free-port.ts'
import { BASE_ENV, startSlugline } from '../test/harness/process.ts'
import { cpuSeconds, machine, median, quantile } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { slugAt } from './lib/wrk.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    links: { type: 'string', default: '1000000' },
    times: { type: 'string', default: '10' },
    cached: { type: 'boolean', default: false },
  },
})
const OWN = join(import.meta.dir, '../bin/slugline')
const programs = positionals.length === 0 ? [OWN] : positionals.map((program) => resolve(program))
const dataDir = temporaryDirectory()
const first = await startSlugline({ DATABASE_URL: '' }, { dataDir })
await first.createKey()
await first.stop()
seedLinks(dataDir, { workspaceNo: 1, links: Number(values.links) })
const { BUN_RUNTIME_TRANSPILER_CACHE_PATH: cache, ...base } = BASE_ENV
const cached = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: values.cached ? `${cache}` : '0' }

/** Milliseconds until the first redirect and until it listens, and the CPU until then. */
async function start(program: string) {
  const port = String(await freePort())
  const env = { ...base, ...cached, SLUGLINE_DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'error' }
  const begin = performance.now()
  const child = Bun.spawn([program, 'serve'], { env, stdout: 'pipe', stderr: 'ignore' })
  const sinceBegin = () => ({ ms: performance.now() - begin, cpu: cpuSeconds(child.pid) * 1_000 })
  const listening = child.stdout.getReader().read().then(sinceBegin)
  const url = `http://127.0.0.1:${port}/${slugAt(Number(values.links) - 1)}`
  for (;;) {
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => null)
    if (answer?.status === 302) break
    if (answer !== null) throw new Error(`It answers ${answer.status}`)
    await Bun.sleep(1)
  }
  const redirected = sinceBegin()
  const all = { redirected, listening: await listening }
  child.kill()
  await child.exited
  return all
}

const starts = new Map(
  programs.map((program) => [program, [] as Awaited<ReturnType<typeof start>>[]]),
)
// The first start fills the file caches.
for (const program of programs) await start(program)
for (let time = 0; time < Number(values.times); time++) {
  const order = time % 2 === 0 ? programs : [...programs].reverse()
  for (const program of order) starts.get(program)?.push(await start(program))
}
console.log(machine())
console.log(`${values.links} links, ${values.times} starts, medians (and the slowest)`)
const summary = (figures: readonly number[]) =>
  `${median(figures).toFixed(0)} (${quantile(figures, 1).toFixed(0)})`
console.table(
  Object.fromEntries(
    [...starts].map(([program, all]) => [
      program,
      {
        'first redirect, ms': summary(all.map(({ redirected }) => redirected.ms)),
        'CPU until then, ms': summary(all.map(({ redirected }) => redirected.cpu)),
        'listens, ms': summary(all.map(({ listening }) => listening.ms)),
        'CPU until that, ms': summary(all.map(({ listening }) => listening.cpu)),
      },
    ]),
  ),
)
