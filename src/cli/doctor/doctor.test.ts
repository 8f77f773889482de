import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultDatabase } from '../../clicks/enrich/default-database.ts'
import { startProvider } from '../../features/accounts/testing/provider.ts'
import {
  existingSecret,
  openSecrets,
  readEnvironment,
  secretFile,
} from '../../platform/config/index.ts'
import { startSmtpServer } from '../../platform/mail/testing/smtp-server.ts'
import { databaseFiles, openEmbedded, openSqlite } from '../../platform/storage/index.ts'
import { copyMigrated } from '../../platform/storage/testing/database.ts'
import { lockDataDir } from '../../server/operations/lock.ts'
import { openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { checkFiles } from './directory.ts'
import { examine } from './doctor.ts'

let dir: string
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-doctor-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const NOW = Date.UTC(2026, 10, 20)

async function ask(variables: Record<string, string> = {}, now = NOW, unknown: string[] = []) {
  const findings = await examine(
    () => readEnvironment({ SLUGLINE_DATA_DIR: dir, PORT: '0', ...variables }, false),
    unknown,
    { now: () => now },
  )
  return {
    findings,
    /** The checks that found a problem or a warning. */
    bad: findings.filter((finding) => finding.status !== 'ok').map((finding) => finding.check),
    problems: findings.filter(({ status }) => status === 'problem').map(({ check }) => check),
  }
}

async function prepare() {
  openSecrets(dir, null)
  await copyMigrated(dir)
}

/** A statistics file with some blocks. */
async function fillStatistics(): Promise<string> {
  // New links would not take over clicks.
  const links = openSqlite(databaseFiles(dir).main)
  links.raw.run("INSERT INTO deleted_workspaces (no, id, deleted_at) VALUES (1, 'wsp_1', 1)")
  links.close()
  const counters = openSqlite(databaseFiles(dir).counters)
  counters.raw.run(`INSERT INTO link_counters
    (link_seq, workspace_no, total, human, bot, unique_visitors) VALUES (0, 0, 200000, 0, 0, 0)`)
  counters.close()
  const file = statisticsFile(dir)
  const database = await openDuckDb(file)
  const connection = await database.connect()
  const columns = ['workspace', 'link', 'n', 'visitor', 'kind', 'qr', 'domain']
  await connection.run(
    `INSERT INTO clicks (time, ${columns.join(', ')}) SELECT range, ${columns.map((c) => (c === 'qr' ? 'true' : c === 'visitor' ? 'hash(range)' : '0'))}
     FROM range(200000)`,
  )
  await connection.run('CHECKPOINT')
  database.close()
  return file
}

/** A process with the statistics open that responds like the server's, or not with `--silent`. */
async function openStatistics(...args: string[]) {
  const child = Bun.spawn([process.execPath, '-e', STATISTICS, dir, ...args], { stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('open\n')
  return {
    async close() {
      child.kill()
      await child.exited
    },
  }
}

const STATISTICS_SOURCE = join(import.meta.dir, '../../statistics')
const STATISTICS = `
const [dir, silent] = process.argv.slice(1)
const { openOwnStore } = await import('${STATISTICS_SOURCE}/engine/duckdb/store.ts')
const { listen } = await import('${STATISTICS_SOURCE}/process/server.ts')
const { socketPath } = await import('${STATISTICS_SOURCE}/process/socket.ts')
const store = await openOwnStore(dir, { clock: Date, enrich: (click) => click })
if (!silent) listen({ socket: socketPath(dir), answers: async () => store })
console.log('open')
setInterval(() => {}, 1000)`

function writeAt(file: string, bytes: Uint8Array, position: number): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, position)
  closeSync(descriptor)
}

describe('the doctor', () => {
  test('checks the geolocation database', async () => {
    const { findings } = await ask({ GEOIP_DATABASE: import.meta.path })
    const [problem] = findings.filter(({ status }) => status === 'problem')
    expect(problem?.check).toBe('configuration')
    expect(problem?.message).toContain('GEOIP_DATABASE')
    const { bad } = await ask({ GEOIP_DATABASE: defaultDatabase() })
    expect(bad.filter((check) => check !== 'places')).toEqual([])
  })

  test('finds nothing wrong with a fresh instance, before and after its first start', async () => {
    expect((await ask()).bad).toEqual([])
    await prepare()
    const { bad, findings } = await ask()
    expect(bad).toEqual([])
    expect(findings.map((finding) => finding.check)).toEqual(
      expect.arrayContaining([
        'configuration',
        'versions',
        'data_dir',
        'files',
        'secret',
        'disk',
        'clock',
        'integrity',
        'migrations',
        'server',
        'trusted_proxies',
      ]),
    )
  })

  test('gives advice for all findings', async () => {
    await prepare()
    chmodSync(dir, 0o777)
    chmodSync(secretFile(dir), 0o644)
    const { findings, problems } = await ask()
    expect(problems).toEqual(['data_dir', 'secret'])
    for (const { status, advice } of findings) expect(advice === undefined).toBe(status === 'ok')
  })

  test('reports every wrong setting, and misspelt ones', async () => {
    const { problems, findings } = await ask({ PORT: 'x', METRICS: 'y', SLUGLINE_SECRET: 'short' })
    expect(problems).toEqual(['configuration', 'configuration', 'configuration'])
    expect(JSON.stringify(findings)).not.toContain('short"')
    expect((await ask({}, NOW, ['SLUGLINE_DATADIR'])).bad).toEqual(['configuration'])
    const alone = await ask({ MAIL_FROM: 'links@example.com', OIDC_CLIENT_ID: 'slugline' })
    expect(alone.bad).toEqual(['configuration', 'configuration'])
    const both = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'links@example.com' }
    expect((await ask(both)).bad).toEqual(['mail'])
  })

  test('warns of proxies that are trusted too widely or not at all', async () => {
    expect((await ask({ TRUSTED_PROXIES: '0.0.0.0/0' })).problems).toEqual(['trusted_proxies'])
    expect((await ask({ BASE_URL: 'https://sho.rt' })).bad).toEqual(['trusted_proxies'])
    const right = { BASE_URL: 'https://sho.rt', TRUSTED_PROXIES: '127.0.0.1' }
    expect((await ask(right)).bad).toEqual([])
    expect((await ask({ HOST: '0.0.0.0' })).bad).toEqual(['base_url'])
  })

  test('finds files that are not for this user', async () => {
    await prepare()
    const { main } = databaseFiles(dir)
    // Simulated: root, who runs the tests in a container, can open every file.
    const finding = checkFiles(dir, (path) => path !== main)
    expect(finding.status).toBe('problem')
    expect(finding.message).toEndWith(main)
    expect(checkFiles(dir).status).toBe('ok')
  })

  test('finds a damaged database', async () => {
    await prepare()
    truncateSync(databaseFiles(dir).main, 20_000)
    expect((await ask()).problems).toContain('integrity')
  })

  test('finds damaged counters, and says how they are recreated', async () => {
    await prepare()
    const { counters } = databaseFiles(dir)
    const bytes = readFileSync(counters)
    writeFileSync(counters, bytes.fill(7, 4_096))
    rmSync(`${counters}-wal`, { force: true })
    const { findings, problems } = await ask()
    expect(problems).toContain('integrity')
    const { advice } = findings.findLast(({ check }) => check === 'integrity') ?? {}
    expect(advice).toContain('slugline serve')
  })

  test('finds statistics that are cut off or overwritten', async () => {
    await prepare()
    const file = await fillStatistics()
    expect((await ask()).bad).toEqual([])
    const whole = readFileSync(file)
    truncateSync(file, whole.length / 2)
    expect((await ask()).problems).toEqual(['statistics'])
    const overwritten = Buffer.from(whole)
    overwritten.fill(7, whole.length / 2, whole.length / 2 + 4_096)
    writeFileSync(file, overwritten)
    expect((await ask()).problems).toEqual(['statistics'])
    truncateSync(file, 0)
    expect((await ask()).problems).toEqual(['statistics'])
  })

  test('finds statistics that are cut off or overwritten while a process has them open', async () => {
    await prepare()
    const file = await fillStatistics()
    const whole = readFileSync(file)
    const owner = await openStatistics()
    try {
      const { bad, findings } = await ask()
      expect(bad).toEqual([])
      expect(findings.find(({ check }) => check === 'statistics')?.message).toContain('whole')
      const half = whole.length / 2
      writeAt(file, Buffer.alloc(4_096, 7), half)
      expect((await ask()).problems).toEqual(['statistics'])
      writeAt(file, whole.subarray(half, half + 4_096), half)
      expect((await ask()).bad).toEqual([])
      truncateSync(file, half)
      expect((await ask()).problems).toEqual(['statistics'])
    } finally {
      await owner.close()
    }
  })

  test('reports that statistics were not read when the process that has them open doesn’t respond', async () => {
    await prepare()
    await fillStatistics()
    const owner = await openStatistics('--silent')
    try {
      expect(await ask()).toMatchObject({ bad: ['statistics'], problems: [] })
    } finally {
      await owner.close()
    }
  }, 20_000)

  test('finds a file that isn’t a database', async () => {
    openSecrets(dir, null)
    writeFileSync(databaseFiles(dir).main, 'not a database '.repeat(1000))
    expect((await ask()).problems).toContain('integrity')
  })

  test('finds a secret that is not the one of the data', async () => {
    await prepare()
    expect((await ask({ SLUGLINE_SECRET: existingSecret(dir) ?? '' })).bad).toEqual([])
    expect((await ask({ SLUGLINE_SECRET: 'x'.repeat(32) })).bad).toEqual(['secret'])
  })

  test('finds a missing database', async () => {
    await prepare()
    const { main, counters } = databaseFiles(dir)
    rmSync(counters)
    expect((await ask()).bad).toContain('integrity')
    expect((await ask()).problems).toEqual([])
    await prepare()
    rmSync(main)
    expect((await ask()).problems).toEqual(['integrity'])
  })

  test('finds data of a newer version', async () => {
    await prepare()
    const { raw, close } = openSqlite(databaseFiles(dir).main)
    raw.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00Z')")
    close()
    const { problems, findings } = await ask()
    expect(problems).toEqual(['migrations'])
    expect(JSON.stringify(findings)).toContain('9999-later')
  })

  test('finds plans that aren’t listed', async () => {
    await prepare()
    const storage = await openEmbedded(dir)
    await storage.write(async (tx) => {
      const name = { id: 'ws_1', name: 'A', name_key: 'a' }
      await tx.db
        .insertInto('workspaces')
        .values({ ...name, plan_id: 'platinum', language: null, created_at: NOW })
        .execute()
    })
    await storage.close()
    const { problems, findings } = await ask()
    expect(problems).toEqual(['plans'])
    expect(JSON.stringify(findings)).toContain('platinum')
  })

  test('finds a clock that went back or was never set', async () => {
    await prepare()
    const storage = await openEmbedded(dir)
    await storage.write(async (tx) => {
      await tx.db
        .insertInto('workspaces')
        .values({
          id: 'ws_1',
          name: 'A',
          name_key: 'a',
          plan_id: 'free',
          language: null,
          last_link_at: NOW,
          created_at: NOW,
        })
        .execute()
    })
    await storage.close()
    expect((await ask()).bad).toEqual([])
    expect((await ask({}, NOW - 3_600_000)).problems).toEqual(['clock'])
    expect((await ask({}, 0)).problems).toEqual(['clock'])
  })

  test('finds a server that does not answer', async () => {
    await prepare()
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('other') })
    const lock = lockDataDir(dir)
    try {
      expect((await ask({ PORT: String(other.port) })).problems).toEqual(['server'])
    } finally {
      lock.release()
      await other.stop(true)
    }
  })

  test('checks a running server', async () => {
    await prepare()
    let checks = [{ name: 'storage', status: 'ok' }]
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ checks }),
    })
    const lock = lockDataDir(dir)
    try {
      const PORT = String(server.port)
      expect((await ask({ PORT })).bad).toEqual([])
      checks = [{ name: 'worker', status: 'degraded' }]
      expect((await ask({ PORT })).bad).toEqual(['server'])
    } finally {
      lock.release()
      await server.stop(true)
    }
  })

  test('uses the server’s listening address, whatever the settings of this shell', async () => {
    await prepare()
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ checks: [{ name: 'storage', status: 'ok' }] }),
    })
    const lock = lockDataDir(dir)
    lock.listensOn(server.url.origin, 'https://sho.rt')
    try {
      const { bad, findings } = await ask({ PORT: '1' })
      expect(bad).toEqual([])
      expect(findings.map(({ message }) => message).join()).toContain(server.url.origin)
    } finally {
      lock.release()
      await server.stop(true)
    }
  })

  test('finds an unusable secret', async () => {
    await prepare()
    writeFileSync(secretFile(dir), 'short', { mode: 0o600 })
    expect((await ask()).problems).toEqual(['secret'])
    rmSync(secretFile(dir))
    expect((await ask()).problems).toEqual(['secret'])
  })

  test('changes nothing in an empty directory', async () => {
    const missing = join(dir, 'missing')
    const { bad } = await ask({ SLUGLINE_DATA_DIR: missing })
    expect(bad).toEqual(['data_dir'])
    expect((await ask({ SLUGLINE_DATA_DIR: missing })).bad).toEqual(['data_dir'])
  })

  test('checks how people sign in', async () => {
    const TLS = { BASE_URL: 'https://sho.rt', TRUSTED_PROXIES: '127.0.0.1' }
    expect((await ask({ BASE_URL: 'http://sho.rt' })).bad).toEqual(['sign_in'])
    expect((await ask({ BASE_URL: 'http://localhost:3000' })).bad).toEqual([])
    expect((await ask({ ...TLS, SIGN_UP: 'open' })).bad).toEqual(['sign_up'])
    expect((await ask({ ...TLS, SIGN_UP: 'closed' })).bad).toEqual([])
    expect((await ask({ SMTP_URL: 'mail.example.com' })).problems).toEqual(['configuration'])
  })

  test('connects to the mail server, and sends nothing', async () => {
    const MAIL_FROM = 'links@example.com'
    const server = await startSmtpServer({ user: { name: 'u', password: 'hunter2' } })
    const at = (who: string) => ({ SMTP_URL: `smtp://${who}127.0.0.1:${server.port}`, MAIL_FROM })
    expect((await ask(at('u:hunter2@'))).bad).toEqual([])
    const wrong = await ask(at('u:hunter3@'))
    expect(wrong.problems).toEqual(['mail'])
    expect(JSON.stringify(wrong.findings)).not.toContain('hunter')
    expect(server.delivered).toEqual([])
    await server.stop()
    expect((await ask(at('u:hunter2@'))).problems).toEqual(['mail'])
  })

  test('warns of messages that may be sent in the clear', async () => {
    const MAIL_FROM = 'links@example.com'
    const server = await startSmtpServer()
    const at = (query: string) => ({ SMTP_URL: `smtp://0.0.0.0:${server.port}${query}`, MAIL_FROM })
    expect((await ask(at(''))).bad).toEqual(['mail'])
    expect((await ask(at('?requireTLS=true'))).problems).toEqual(['mail'])
    await server.stop()
  })

  test('checks the provider of single sign-on', async () => {
    const provider = startProvider()
    const base = { OIDC_CLIENT_ID: 'slugline', OIDC_CLIENT_SECRET: 'hunter2' }
    const settings = { ...base, OIDC_ISSUER: provider.issuer, BASE_URL: 'http://localhost:3000' }
    expect((await ask(settings)).bad).toEqual([])
    provider.answers.description = { issuer: 'https://evil.example' }
    expect((await ask(settings)).problems).toEqual(['single_sign_on'])
    await provider.stop()
    const { problems, findings } = await ask(settings)
    expect(problems).toEqual(['single_sign_on'])
    expect(JSON.stringify(findings)).not.toContain('hunter2')
  })
})
