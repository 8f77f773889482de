import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'

/** Kills it when this process ends, in any way. */
const KEEPER = Bun.which('setpriv') === null ? [] : ['setpriv', '--pdeathsig', 'KILL']
const PROGRAM = Bun.which('redis-server') ?? Bun.which('valkey-server')

/** Why tests with Redis are skipped on this machine; undefined: they aren't. */
export const redisMissing: string | undefined =
  PROGRAM === null ? 'needs redis-server or valkey-server' : undefined

/** A separate server, without persistence. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Ends it like a crash: its data is lost. */
  stop(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  /** Stops responding but keeps connections, like a cut network. */
  freeze(): void
  thaw(): void
  dispose(): Promise<void>
}

/** Starts a Redis on a free port of this machine; with `tls` only over TLS. */
export async function startRedis(
  options: { tls?: { key: string; certificate: string } } = {},
): Promise<TestRedis> {
  if (PROGRAM === null) throw new Error(redisMissing)
  const { tls } = options
  const dir = mkdtempSync(join(tmpdir(), 'slugline-redis-'))
  const port = await freePort()
  const listen =
    tls === undefined
      ? ['--port', String(port)]
      : [
          ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
          ...['--tls-cert-file', tls.certificate, '--tls-key-file', tls.key],
        ]
  let child = await launch(PROGRAM, dir, listen)
  let running = true
  return {
    url: `${tls === undefined ? 'redis' : 'rediss'}://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid
    },
    async stop() {
      if (!running) return
      running = false
      child.kill('SIGKILL')
      await child.exited
    },
    async start() {
      if (running) return
      child = await launch(PROGRAM, dir, listen)
      running = true
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async dispose() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function launch(program: string, dir: string, listen: readonly string[]) {
  const args = [...listen, '--bind', '127.0.0.1', '--dir', dir]
  args.push('--save', '', '--appendonly', 'no', '--daemonize', 'no')
  const child = Bun.spawn([...KEEPER, program, ...args], { stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let output = ''
  while (!/Ready to accept connections/.test(output)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`${program} did not start: ${output}`)
    output += decoder.decode(value, { stream: true })
  }
  // Must be read, because a full pipe would block it.
  void (async () => {
    while (!(await reader.read()).done);
  })()
  return child
}
