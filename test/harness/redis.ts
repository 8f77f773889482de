import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = Bun.which('redis-server') ?? Bun.which('valkey-server')

/** Why tests with Redis are skipped on this machine; undefined: they aren't. */
export const redisMissing: string | undefined =
  PROGRAM === null ? 'needs redis-server or valkey-server' : undefined

/** A server of its own, without anything on disk. */
export interface TestRedis {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Ends it as a crash would: what it held is gone. */
  stop(): Promise<void>
  /** Starts it again on the same port, empty. */
  start(): Promise<void>
  /** It stays, and answers nothing: what a cut network looks like. */
  freeze(): void
  thaw(): void
  dispose(): Promise<void>
}

/** Starts a Redis on a free port of this machine. */
export async function startRedis(): Promise<TestRedis> {
  if (PROGRAM === null) throw new Error(redisMissing)
  const dir = mkdtempSync(join(tmpdir(), 'slugline-redis-'))
  const port = await freePort()
  let child = await launch(PROGRAM, dir, port)
  let running = true
  return {
    url: `redis://127.0.0.1:${port}`,
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
      child = await launch(PROGRAM, dir, port)
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

async function launch(program: string, dir: string, port: number) {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir]
  args.push('--save', '', '--appendonly', 'no', '--daemonize', 'no')
  const child = Bun.spawn([program, ...args], { stdout: 'pipe', stderr: 'inherit' })
  const reader = child.stdout.getReader()
  const decoder = new TextDecoder()
  let output = ''
  while (!/Ready to accept connections/.test(output)) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`${program} did not start: ${output}`)
    output += decoder.decode(value, { stream: true })
  }
  // Read on, or a full pipe would hold it up.
  void (async () => {
    while (!(await reader.read()).done);
  })()
  return child
}

/** A port that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
