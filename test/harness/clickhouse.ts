import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const FOLDER = resolve(import.meta.dir, 'clickhouse')

/** Whether ClickHouse's engine is installed: `npm ci` in test/harness/clickhouse, some 550 MB. */
export const hasClickHouse = existsSync(join(FOLDER, 'node_modules/chdb/package.json'))

/** A temporary ClickHouse: the engine itself, behind HTTP, in a separate process. */
export interface ClickHouse {
  /** `http://127.0.0.1:{port}/{database}` */
  url(database: string): string
  /** Its files. */
  readonly directory: string
  readonly pid: number
  /** Kills it, as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same data and the same port. */
  restart(): Promise<void>
  /** Stops it and deletes its data. */
  stop(): Promise<void>
}

/** Starts one; the tests of a file share it, with a database for each test that needs its own. */
export async function startClickHouse(): Promise<ClickHouse> {
  const directory = mkdtempSync(join(tmpdir(), 'slugline-clickhouse-'))
  let { child, port } = await start(directory, 0)
  return {
    url: (database) => `http://127.0.0.1:${port}/${database}`,
    directory,
    get pid() {
      return child.pid
    },
    async kill() {
      child.kill('SIGKILL')
      await child.exited
    },
    async restart() {
      ;({ child, port } = await start(directory, port))
    },
    async stop() {
      child.kill('SIGKILL')
      await child.exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function start(directory: string, wanted: number) {
  const child = Bun.spawn([process.execPath, 'server.mjs', directory, String(wanted)], {
    cwd: FOLDER,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let said = ''
  const reader = child.stdout.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error('ClickHouse does not start')
    said += new TextDecoder().decode(value)
    const port = /listening (\d+)\n/.exec(said)?.[1]
    if (port === undefined) continue
    reader.releaseLock()
    return { child, port: Number(port) }
  }
}
