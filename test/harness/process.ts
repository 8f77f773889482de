import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { filesIn, makeStore } from './store.ts'

/** `TEST_PROGRAM`: the executable built by `npm test`; else the checkout. */
export const SLUGLINE = resolve(import.meta.dir, '../..', Bun.env.TEST_PROGRAM ?? 'bin/slugline')

/** The environment of every test process. */
export const BASE_ENV: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? '',
  // With a home directory Bun caches transpiled code there, which saves a third of a start.
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: resolve(import.meta.dir, '../../node_modules/.cache/bun'),
}

/** A real Slugline process with a data directory of its own. */
export interface Slugline {
  /** `http://127.0.0.1:{port}` */
  readonly url: string
  readonly dataDir: string
  readonly pid: number
  /** The environment that it was started with. */
  readonly env: Readonly<Record<string, string>>
  /** What it has written to stdout and stderr so far. */
  output(): string
  /** Runs a command against the same data directory. */
  cli(...args: string[]): Promise<CommandResult>
  /** Creates an API key, and its workspace if there is none with that name. */
  createKey(options?: KeyOptions): Promise<CreatedKey>
  /** Calls the API; `key` becomes the Authorization header, `body` JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Response>
  /** Sends SIGTERM; returns the exit status. */
  stop(): Promise<number>
  /** Waits for its end. */
  ended(): Promise<number>
  /** SIGKILL to the server, as a crash would. */
  kill(): Promise<void>
  /** Starts it again with the same data and port, optionally with changed settings. */
  restart(changed?: Record<string, string>): Promise<void>
  /** Every file that it stores, in any place. */
  files(): Promise<{ file: string; bytes: Buffer }[]>
  /** Stops it and deletes its data. */
  dispose(): Promise<void>
}

export interface CommandResult {
  status: number
  stdout: string
  stderr: string
}

export interface KeyOptions {
  workspace?: string
  name?: string
  scopes?: string
  plan?: string
  expires?: string
}

export interface CreatedKey {
  id: string
  key: string
  prefix: string
  scopes: string[]
  expires_at: string | null
}

export interface CallOptions {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

/** The environment of `slugline serve`, and of the commands beside it. */
function environment(dataDir: string, extra: Record<string, string>): Record<string, string> {
  return {
    ...BASE_ENV,
    SLUGLINE_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    // A test waits for background work, which would take long beside others.
    ...(process.env.NODE_ENV === 'test' && { BACKGROUND_NICENESS: '0' }),
    ANONYMOUS_REQUESTS_PER_MINUTE: '6000000',
    ...extra,
  }
}

/** Runs one command to its end. */
export async function runCommand(
  args: string[],
  env: Record<string, string>,
  program = SLUGLINE,
): Promise<CommandResult> {
  const child = Bun.spawn([program, ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, stderr }
}

/** What to start, and how. */
export interface StartOptions {
  dataDir?: string
  /** Commands that run the program, such as `strace`. */
  wrapper?: string[]
  /** The executable; default: {@link SLUGLINE}. */
  program?: string
  /** Arguments of `serve`. */
  args?: string[]
}

/**
 * Starts `slugline serve` on the store of this run, and waits for the line with its URL. A test may
 * set its own databases.
 */
export async function startSlugline(
  extra: Record<string, string> = {},
  options: StartOptions = {},
): Promise<Slugline> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'slugline-e2e-'))
  const store = extra.DATABASE_URL === undefined ? await makeStore() : null
  let env = environment(dataDir, { ...store?.env, ...extra })
  let running = launch(env, options)
  const url = await running.url
  const port = new URL(url).port
  const slugline: Slugline = {
    url,
    dataDir,
    get pid() {
      return running.child.pid
    },
    output: () => running.output(),
    get env() {
      return env
    },
    cli: (...args) => runCommand(args, env, options.program),
    async createKey({
      workspace = 'test',
      name = 'test',
      scopes = 'links:read,links:write',
      plan = 'unlimited',
      expires,
    } = {}) {
      const args = ['keys', 'create', '--workspace', workspace, '--name', name]
      args.push('--scopes', scopes, '--plan', plan, '--json')
      if (expires !== undefined) args.push('--expires', expires)
      const { status, stdout, stderr } = await slugline.cli(...args)
      if (status !== 0) throw new Error(`keys create failed: ${stderr}`)
      return JSON.parse(stdout) as CreatedKey
    },
    call(method, path, { key, body, headers } = {}) {
      return fetch(url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: isRaw(body) ? body : JSON.stringify(body) }),
      })
    },
    async stop() {
      running.child.kill('SIGTERM')
      const status = await running.child.exited
      // Helps tests that expect success.
      if (status !== 0) console.error(`serve ended with ${status}: ${running.output()}`)
      return status
    },
    ended: () => running.child.exited,
    async kill() {
      running.child.kill('SIGKILL')
      await running.child.exited
    },
    async restart(changed = {}) {
      env = { ...env, ...changed }
      running = launch({ ...env, PORT: port }, options)
      await running.url
    },
    files: async () => [...filesIn(dataDir), ...((await store?.files()) ?? [])],
    async dispose() {
      running.child.kill('SIGTERM')
      await running.child.exited
      await store?.dispose()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return slugline
}

/** Returns the process immediately, so that it can be stopped before it listens. */
function launch(env: Record<string, string>, options: StartOptions) {
  const { wrapper = [], program = SLUGLINE, args = [] } = options
  const child = Bun.spawn([...wrapper, program, 'serve', ...args], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let output = ''
  const ready = Promise.withResolvers<string>()
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      output += decoder.decode(chunk, { stream: true })
      const address = /listens on (http:\/\/\S+)/.exec(output)
      if (address?.[1] !== undefined) ready.resolve(address[1])
    }
  }
  const ended = Promise.all([read(child.stdout), read(child.stderr)])
  child.exited.then(async (status) => {
    await ended
    ready.reject(new Error(`serve ended with ${status}: ${output}`))
  })
  ready.promise.catch(() => {})
  return { child, url: ready.promise, output: () => output }
}

/** Sent unchanged; everything else is sent as JSON. */
function isRaw(body: unknown): body is string | Uint8Array<ArrayBuffer> {
  return typeof body === 'string' || body instanceof Uint8Array
}
