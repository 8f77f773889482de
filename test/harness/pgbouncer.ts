import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { makeServerFolder } from './postgres.ts'

const PROGRAM = Bun.which('pgbouncer', { PATH: `${process.env.PATH}:/usr/sbin` })

/** Why tests with PgBouncer are skipped on this machine; undefined: they aren't. */
export const pgbouncerMissing: string | undefined = PROGRAM === null ? 'needs pgbouncer' : undefined

/** A PgBouncer in transaction mode. */
export interface TestPgBouncer {
  /** The URL of the same database, through it. */
  readonly url: string
  dispose(): Promise<void>
}

/** Starts one before a database's server; all clients share a few connections. */
export async function startPgBouncer(url: string, connections = 4): Promise<TestPgBouncer> {
  if (PROGRAM === null) throw new Error(pgbouncerMissing)
  const { dir, as } = makeServerFolder('pgbouncer')
  const port = await freePort()
  const file = join(dir, 'pgbouncer.ini')
  const server = new URL(url)
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server.port} user=${server.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
    'max_client_conn = 500',
    'server_login_retry = 1',
  ]
  writeFileSync(file, `${settings.join('\n')}\n`, { mode: 0o644 })
  const child = Bun.spawn([...as, PROGRAM, '-q', file], { cwd: dir, stdio: ['ignore', 2, 2] })
  await eventually('PgBouncer listens', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
      socket.end()
      return true
    } catch {
      return undefined
    }
  })
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    async dispose() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
