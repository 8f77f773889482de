import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { migrateScaled } from '../../src/platform/storage/index.ts'
import { freePort } from './free-port.ts'

const BIN = binaries()

/** Why tests with PostgreSQL are skipped on this machine; undefined: they aren't. */
export const postgresMissing: string | undefined =
  BIN === undefined ? 'needs PostgreSQL 15 or newer' : undefined

/** A separate server, which ends with this process. */
export interface TestPostgres {
  readonly port: number
  /** The first of its processes; it changes with a restart. */
  readonly pid: number
  /** Its files. */
  readonly data: string
  /** The URL of a database on it. */
  url(database: string): string
  /** Creates a database, migrated unless it shall be empty, and returns its URL. */
  createDatabase(options?: { empty?: boolean }): Promise<string>
  /** Runs statements as its superuser. */
  admin(statement: string, database?: string): Promise<Record<string, unknown>[]>
  /** `fast`: closes connections; `crash`: like kill -9. */
  stop(how?: 'fast' | 'crash'): Promise<void>
  start(): Promise<void>
  /** Stops responding but keeps connections, like a cut network. */
  freeze(): void
  thaw(): void
  /** Starts a replica (hot standby, by streaming). */
  replicate(): Promise<TestReplica>
  dispose(): Promise<void>
}

/** A read-only replica. */
export interface TestReplica {
  readonly port: number
  url(database: string): string
  /** Pauses applying changes until it is resumed. */
  pause(): Promise<void>
  goOn(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
  dispose(): Promise<void>
}

let shared: Promise<TestPostgres> | undefined

/** A server shared by all test files of a process; it ends with the process. */
export function sharedPostgres(): Promise<TestPostgres> {
  shared ??= startPostgres()
  return shared
}

/** A folder for a server, and the command that runs programs as the folder's owner. */
export function makeServerFolder(name: string): { dir: string; as: string[] } {
  const dir = mkdtempSync(join(tmpdir(), `slugline-${name}-`))
  const user = unprivileged()
  if (user === undefined) return { dir, as: [] }
  chownSync(dir, user.uid, user.gid)
  return { dir, as: ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] }
}

/** Starts a PostgreSQL on a free port. `durable`: commits survive its crash. */
export async function startPostgres(
  options: { durable?: boolean; settings?: Record<string, string> } = {},
): Promise<TestPostgres> {
  if (BIN === undefined) throw new Error(postgresMissing)
  const bin = BIN
  const { dir, as } = makeServerFolder('postgres')
  const data = join(dir, 'data')
  const made = Bun.spawnSync(
    [
      ...as,
      join(BIN, 'initdb'),
      '-D',
      data,
      '-U',
      'admin',
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
      '--no-instructions',
    ],
    { cwd: dir },
  )
  if (made.exitCode !== 0) throw new Error(`initdb: ${made.stderr}`)
  const port = await freePort()
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '128MB',
    fsync: options.durable ? 'on' : 'off',
    full_page_writes: options.durable ? 'on' : 'off',
    synchronous_commit: options.durable ? 'on' : 'off',
    // With a database per test, autovacuum would never stop.
    autovacuum: options.durable ? 'on' : 'off',
    ...options.settings,
  }
  const commandOf = (folder: string, all: Record<string, string>) => [
    ...as,
    join(bin, 'postgres'),
    '-D',
    folder,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
  const command = commandOf(data, settings)
  const url = (database: string) => `postgres://admin@127.0.0.1:${port}/${database}`
  let child = await launch(command, dir)
  let running = true
  let databases = 0
  let template: Promise<string> | undefined

  async function admin(statement: string, database = 'postgres') {
    const client = new Client({ connectionString: url(database) })
    await client.connect()
    try {
      const outcome = await client.query(statement)
      return (outcome.rows ?? []) as Record<string, unknown>[]
    } finally {
      await client.end()
    }
  }

  const copies: TestReplica[] = []

  async function replicate(): Promise<TestReplica> {
    const folder = join(dir, `copy-${copies.length}`)
    const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'admin']
    const copied = Bun.spawnSync(
      [
        ...as,
        join(bin, 'pg_basebackup'),
        ...from,
        '-D',
        folder,
        '-R',
        '-X',
        'stream',
        '-c',
        'fast',
      ],
      { cwd: dir },
    )
    if (copied.exitCode !== 0) throw new Error(`pg_basebackup: ${copied.stderr}`)
    const own = await freePort()
    const started = () => launch(commandOf(folder, { ...settings, port: String(own) }), dir)
    const address = (database: string) => `postgres://admin@127.0.0.1:${own}/${database}`
    let standby: Awaited<ReturnType<typeof launch>> | undefined = await started()
    const ask = async (statement: string) => {
      const client = new Client({ connectionString: address('postgres') })
      await client.connect()
      await client.query(statement).finally(() => client.end())
    }
    async function stop(): Promise<void> {
      if (standby === undefined) return
      const pid = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]
      process.kill(Number(pid), 'SIGQUIT')
      await standby.exited
      standby = undefined
    }
    const copy: TestReplica = {
      port: own,
      url: address,
      pause: () => ask('SELECT pg_wal_replay_pause()'),
      goOn: () => ask('SELECT pg_wal_replay_resume()'),
      stop,
      async start() {
        standby ??= await started()
      },
      dispose: stop,
    }
    copies.push(copy)
    return copy
  }

  async function makeTemplate(): Promise<string> {
    await admin('CREATE DATABASE migrated')
    await migrateScaled(url('migrated'))
    return 'migrated'
  }

  function postmaster(): number {
    return Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  }

  function signalAll(signal: NodeJS.Signals): void {
    const first = postmaster()
    const others = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ')
    for (const pid of [first, ...others.map(Number)]) if (pid > 0) process.kill(pid, signal)
  }

  return {
    port,
    get pid() {
      return postmaster()
    },
    data,
    url,
    admin,
    async createDatabase({ empty = false } = {}) {
      const name = `test_${++databases}`
      if (empty) {
        await admin(`CREATE DATABASE ${name}`)
      } else {
        template ??= makeTemplate()
        // The default strategy writes every page to the log, which takes twice the CPU time.
        await admin(`CREATE DATABASE ${name} TEMPLATE ${await template} STRATEGY FILE_COPY`)
      }
      return url(name)
    },
    async stop(how = 'fast') {
      if (!running) return
      running = false
      process.kill(postmaster(), how === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await child.exited
    },
    async start() {
      if (running) return
      child = await launch(command, dir)
      running = true
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    replicate,
    async dispose() {
      for (const copy of copies) await copy.dispose()
      if (running) {
        process.kill(postmaster(), 'SIGQUIT')
        await child.exited
      }
      running = false
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Ends the server and cleans up when this process has ended, in any way. */
const KEEPER = `"$@" 2>&1 & server=$!
(while kill -0 $OWNER; do sleep 1; done; kill -INT $server; sleep 1; rm -rf "$DIR") \\
  >/dev/null 2>&1 & watch=$!
wait $server
kill -0 $OWNER 2>/dev/null && kill $watch 2>/dev/null`

async function launch(command: string[], dir: string) {
  const child = Bun.spawn(['sh', '-c', KEEPER, 'sh', ...command], {
    cwd: dir,
    env: { ...process.env, DIR: dir, OWNER: String(process.pid) },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let output = ''
  while (!/ready to accept (?:read-only )?connections/.test(output)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`PostgreSQL did not start: ${output}`)
    output += decoder.decode(value, { stream: true })
  }
  // Must be read, because a full pipe would block it.
  void (async () => {
    while (!(await reader.read()).done);
  })()
  return child
}

function binaries(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root) : []
  const newest = versions
    .map(Number)
    .filter((version) => version >= 15)
    .sort((a, b) => b - a)[0]
  if (newest !== undefined) return join(root, String(newest), 'bin')
  const found = Bun.which('initdb')
  return found === null ? undefined : join(found, '..')
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('There is no user that PostgreSQL could run as')
}
