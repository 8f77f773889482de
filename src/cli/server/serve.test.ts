import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../test/harness/eventually.ts'
import { freePort } from '../../../test/harness/free-port.ts'
import { postgresMissing, sharedPostgres } from '../../../test/harness/postgres.ts'
import { startProxy } from '../../../test/harness/proxy.ts'
import { migrate, openEmbedded } from '../../platform/storage/index.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-serve-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/**
 * `serve` in a separate process, with a composition of this test: `/slow` responds when the file
 * `go` appears, `/hang` never; closing writes the file `closed`.
 */
const SCRIPT = `
const { serve } = await import(${JSON.stringify(join(import.meta.dir, 'serve.ts'))})
const { createContext } = await import(${JSON.stringify(join(import.meta.dir, '../context.ts'))})
const { failureOf, renderFailure } = await import(${JSON.stringify(join(import.meta.dir, '../report-error.ts'))})
const { openEmbedded } = await import(${JSON.stringify(join(import.meta.dir, '../../platform/storage/index.ts'))})
const { existsSync, writeFileSync } = await import('node:fs')
const dir = process.env.SLUGLINE_DATA_DIR
const create = async ({ config, baseUrl }) => {
  const storage = await openEmbedded(config.dataDir)
  return {
    storage,
    async complete() {
      while (process.env.LOADS === 'late' && !existsSync(dir + '/go')) await Bun.sleep(5)
    },
    health: { stopping() {} },
    openClaim: async () => { if (process.env.LOSES === 'yes') throw new Error('away'); return null },
    closing: [
      { name: 'storage', withinMs: 2000, run: () => storage.close() },
      { name: 'mark', withinMs: 100, run: () => writeFileSync(dir + '/closed', '') },
    ],
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/hang') { writeFileSync(dir + '/hanging', ''); return new Promise(() => {}) }
      if (pathname === '/slow') {
        writeFileSync(dir + '/slow', '')
        while (!existsSync(dir + '/go')) await Bun.sleep(5)
      }
      return new Response(baseUrl)
    },
  }
}
try { await serve(createContext(), {}, create, 1000) } catch (error) {
  const failure = await failureOf(error)
  process.stderr.write(renderFailure(failure, false))
  process.exit(failure.status)
}`

async function start(variables: Record<string, string> = {}, script = SCRIPT) {
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: {
      PATH: process.env.PATH ?? '',
      SLUGLINE_DATA_DIR: dir,
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...variables,
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let stdout = ''
  const ready = Promise.withResolvers<string | null>()
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) {
      stdout += decoder.decode(chunk, { stream: true })
      const url = /http:\/\/\S+/.exec(stdout)?.[0]
      if (url !== undefined && stdout.endsWith('\n')) ready.resolve(url)
    }
    ready.resolve(null)
  })()
  const errors = new Response(child.stderr).text()
  return {
    url: (await ready.promise) as string,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async ended() {
      const status = await child.exited
      await reading
      return { status, stdout, stderr: await errors }
    },
  }
}

async function appears(name: string) {
  while (!existsSync(join(dir, name))) await new Promise((turn) => setTimeout(turn, 5))
}

describe('serve', () => {
  test('prints one line with its URL, and how to begin', async () => {
    const server = await start({ LOG_FORMAT: 'text' })
    const answer = await fetch(server.url)
    expect(await answer.text()).toBe(server.url)
    server.kill('SIGTERM')
    const { status, stdout, stderr } = await server.ended()
    expect(status).toBe(0)
    expect(stdout).toBe(`Slugline listens on ${server.url}\n`)
    expect(stderr).toContain('keys create')
    expect(existsSync(join(dir, 'closed'))).toBe(true)
    expect(existsSync(join(dir, 'server.pid'))).toBe(false)
  })

  test('keeps running when the database is lost right after it listens', async () => {
    const server = await start({ LOSES: 'yes' })
    expect((await fetch(server.url)).status).toBe(200)
    server.kill('SIGTERM')
    const { status, stdout } = await server.ended()
    expect([status, stdout]).toEqual([0, `Slugline listens on ${server.url}\n`])
  })

  test('serves visits while it loads the rest', async () => {
    const port = await freePort()
    const starting = start({ LOADS: 'late', PORT: String(port) })
    const visit = () => fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
    expect((await eventually('a visit is answered', visit)).status).toBe(200)
    expect(await Promise.race([starting, 'loading'])).toBe('loading')
    writeFileSync(join(dir, 'go'), '')
    const server = await starting
    server.kill('SIGTERM')
    expect((await server.ended()).status).toBe(0)
  })

  test('finishes accepted requests before it ends', async () => {
    const server = await start()
    const slow = fetch(`${server.url}/slow`)
    await appears('slow')
    server.kill('SIGTERM')
    await expectRefused(server.url)
    writeFileSync(join(dir, 'go'), '')
    expect((await slow).status).toBe(200)
    expect((await server.ended()).status).toBe(0)
  })

  test('aborts a request that never ends', async () => {
    const server = await start()
    fetch(`${server.url}/hang`).catch(() => {})
    await appears('hanging')
    server.kill('SIGINT')
    expect((await server.ended()).status).toBe(0)
    expect(existsSync(join(dir, 'closed'))).toBe(true)
  })

  test('is refused while another one serves the same data', async () => {
    const first = await start()
    const second = await (await start()).ended()
    expect(second.status).toBe(1)
    expect(second.stdout).toBe('')
    expect(second.stderr).toContain(dir)
    const [pid, url] = readFileSync(join(dir, 'server.pid'), 'utf8').split('\n')
    expect(second.stderr).toContain(`process ${pid})`)
    expect(url).toBe(first.url)
    first.kill('SIGKILL')
    await first.ended()
    const third = await start()
    third.kill('SIGTERM')
    expect((await third.ended()).status).toBe(0)
  })

  test('reports that its port is taken, also by another Slugline, with status 1', async () => {
    const other = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      // The default of Bun in production.
      reusePort: true,
      fetch: () => new Response(''),
    })
    try {
      const { status, stderr } = await (await start({ PORT: String(other.port) })).ended()
      expect(status).toBe(1)
      expect(stderr).toContain(String(other.port))
    } finally {
      await other.stop(true)
    }
  })

  test('does not start on wrong settings, with status 2', async () => {
    const { status, stderr } = await (await start({ METRICS: 'x', LOG_FORMAT: 'y' })).ended()
    expect(status).toBe(2)
    expect(stderr).toContain('METRICS')
    expect(stderr).toContain('LOG_FORMAT')
  })

  test('does not start while a workspace has a plan that is not listed', async () => {
    await migrate(dir)
    const storage = await openEmbedded(dir)
    await storage.write(async (tx) => {
      await tx.db
        .insertInto('workspaces')
        .values({
          id: 'ws_1',
          name: 'A',
          name_key: 'a',
          plan_id: 'platinum',
          language: null,
          created_at: 0,
        })
        .execute()
    })
    await storage.close()
    const { status, stderr } = await (await start()).ended()
    expect(status).toBe(2)
    expect(stderr).toContain('platinum')
  })
})

/** A real node, which waits for the file `go` once it has migrated. */
const NODE = `
const { serve } = await import(${JSON.stringify(join(import.meta.dir, 'serve.ts'))})
const { createContext } = await import(${JSON.stringify(join(import.meta.dir, '../context.ts'))})
const { createDeps } = await import(${JSON.stringify(join(import.meta.dir, '../../server/deps.ts'))})
const { existsSync, writeFileSync } = await import('node:fs')
const dir = process.env.SLUGLINE_DATA_DIR
await serve(createContext(), {}, async (input) => {
  writeFileSync(dir + '/migrated', '')
  while (!existsSync(dir + '/go')) await Bun.sleep(5)
  return await createDeps(input)
})`

test.skipIf(postgresMissing !== undefined)(
  'a node whose database is lost after migrating waits for it',
  async () => {
    const postgres = await sharedPostgres()
    const url = new URL(await postgres.createDatabase({ empty: true }))
    const proxy = await startProxy(Number(url.port))
    url.port = String(proxy.port)
    const starting = start(
      {
        DATABASE_URL: url.href,
        REDIS_URL: 'redis://127.0.0.1:9',
        CLICKHOUSE_URL: 'http://127.0.0.1:9/clicks',
        BASE_URL: 'http://sho.rt',
        SLUGLINE_SECRET: 'a secret that all nodes of this test have',
        METRICS: 'public',
      },
      NODE,
    )
    await appears('migrated')
    proxy.cut()
    writeFileSync(join(dir, 'go'), '')
    while (proxy.refused < 3) await new Promise((turn) => setTimeout(turn, 5))
    proxy.restore()
    const server = await starting
    const { status } = await fetch(`${server.url}/readyz`)
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    const heads = [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    server.kill('SIGTERM')
    const ended = await server.ended()
    await proxy.close()
    expect([status, ended.status]).toEqual([200, 0])
    expect(new Set(heads).size).toBe(heads.length)
    const tries = [...ended.stderr.matchAll(/"tries":(\d+)/g)].map(([, number]) => Number(number))
    expect(tries[0]).toBe(1)
  },
  60_000,
)

/** Waits until connections are refused. */
async function expectRefused(url: string) {
  for (;;) {
    try {
      await (await fetch(url)).text()
    } catch {
      return
    }
  }
}
