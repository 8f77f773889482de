import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../platform/storage/index.ts'
import { BROWSER, openSite } from './testing/site.ts'

const SERVER = join(import.meta.dir, 'testing/server-main.ts')
const ROUNDS = 20
const VISITORS = 24

let dir: string
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-crash-'))
  await migrate(dir)
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** The click workers of a server: its children. */
function workersOf(pid: number): number[] {
  if (!existsSync('/proc')) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === `${pid}`
      } catch {
        return false
      }
    })
    .map(Number)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It had already ended.
  }
}

async function start() {
  const server = Bun.spawn([process.execPath, SERVER, dir], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await server.stdout.getReader().read()
  return { server, base: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}` }
}

test('no answered click is missing or doubled, wherever server and worker are killed', async () => {
  const site = await openSite(dir)
  const seq = await site.addLink({ slug: 'a' })
  await site.addLink({ slug: 'limited', max_clicks: 500 })
  await site.close()
  let answered = 0
  let asked = 0
  let letThrough = 0

  for (let round = 0; round < ROUNDS; round++) {
    const { server, base } = await start()
    let dead = false
    const until = answered + 10 + Math.random() * 500
    const visits = Array.from({ length: VISITORS }, async (_, visitor) => {
      const headers = { 'user-agent': `${BROWSER} ${visitor}` }
      const path = visitor === 0 ? '/limited' : '/a'
      while (!dead) {
        if (path === '/a') asked++
        try {
          const { status } = await fetch(base + path, { headers, redirect: 'manual' })
          if (path === '/a') {
            expect(status).toBe(302)
            answered++
          } else if (status === 302) letThrough++
        } catch {
          return
        }
      }
    })
    while (answered < until) {
      await Bun.sleep(5)
      if (Math.random() < 0.15) for (const pid of workersOf(server.pid)) kill(pid)
    }
    const orphans = workersOf(server.pid)
    kill(server.pid)
    dead = true
    await server.exited
    await Promise.all(visits)
    // Some workers are killed with their server, others notice it themselves.
    if (round % 2 === 0) orphans.forEach(kill)
  }

  const after = await openSite(dir)
  after.supervisor.wake()
  await after.count()
  const counters = await after.countersOf(seq)
  const stored = counters?.human ?? 0
  expect(answered).toBeGreaterThanOrEqual(ROUNDS * 10)
  expect(stored).toBeGreaterThanOrEqual(answered)
  expect(stored).toBeLessThanOrEqual(asked)
  expect(counters).toMatchObject({ total: stored, bot: 0 })
  // Per day: a run may cross midnight.
  expect((counters?.unique_visitors ?? 0) % (VISITORS - 1)).toBe(0)
  expect(letThrough).toBeLessThanOrEqual(500)
  for (const file of ['main', 'counters']) {
    const check = after.storage.reader.raw.query(`PRAGMA ${file}.integrity_check`).get()
    expect(check).toEqual({ integrity_check: 'ok' })
  }
  await after.close()
}, 600_000)
