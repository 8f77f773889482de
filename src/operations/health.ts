import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { type Storage, StorageUnavailable } from '../storage/index.ts'
import { otherMethod, watchHeaders } from './answers.ts'

/**
 * How a part does. `degraded` parts are told but don't make the instance unready; `reason` is a
 * stable word, never an internal text.
 */
export interface CheckResult {
  status: 'ok' | 'degraded' | 'failed'
  reason?: string
}

/** One part of the instance that can be asked how it does; cheap, it may be asked every second. */
export interface HealthCheck {
  name: string
  check(): CheckResult | Promise<CheckResult>
}

/** Answers `/livez` and `/readyz`. */
export interface Health {
  /** The answer to a request for one of the two paths, or null for any other. */
  answer(request: Request, path: string): Response | Promise<Response> | null
  /** All checks, as `/readyz` tells them. */
  report(): Promise<HealthReport>
  /** From now on `/readyz` answers 503, so that a load balancer looks elsewhere. */
  stopping(): void
}

/** The body of `/readyz`. */
export interface HealthReport {
  status: 'ok' | 'degraded' | 'failed'
  checks: ({ name: string } & CheckResult)[]
}

/** What {@link createHealth} needs. Times are in milliseconds. */
export interface HealthOptions {
  checks: readonly HealthCheck[]
  clock: Clock
  logger: Logger
  /** A check that takes longer has failed. */
  timeoutMs?: number
  /** So long an answer is given again, however often it is asked for. */
  keepMs?: number
}

/** Puts the checks together. */
export function createHealth({
  checks,
  clock,
  logger,
  timeoutMs = 2_000,
  keepMs = 500,
}: HealthOptions): Health {
  let kept: { at: number; report: Promise<HealthReport> } | undefined
  let isStopping = false
  let last: HealthReport['status'] = 'ok'

  async function ask(): Promise<HealthReport> {
    const results = await Promise.all(
      checks.map(async ({ name, check }) => ({ name, ...(await settle(name, check)) })),
    )
    const status = worst(results)
    if (status !== last) {
      const failing = results.filter((result) => result.status !== 'ok')
      if (status === 'ok') logger.info({ status }, 'All health checks are fine again')
      else logger.warn({ status, failing }, 'A health check is not fine')
      last = status
    }
    return { status, checks: results }
  }

  async function settle(name: string, check: HealthCheck['check']): Promise<CheckResult> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<CheckResult>((resolve) => {
      timer = setTimeout(() => resolve({ status: 'failed', reason: 'timeout' }), timeoutMs)
    })
    try {
      return await Promise.race([(async () => check())(), late])
    } catch (err) {
      logger.warn({ err, check: name }, 'A health check threw')
      return { status: 'failed', reason: 'error' }
    } finally {
      clearTimeout(timer)
    }
  }

  async function report(): Promise<HealthReport> {
    if (isStopping) {
      return {
        status: 'failed',
        checks: [{ name: 'server', status: 'failed', reason: 'stopping' }],
      }
    }
    const now = clock.now()
    if (kept === undefined || now - kept.at >= keepMs || now < kept.at) {
      kept = { at: now, report: ask() }
    }
    return await kept.report
  }

  return {
    report,
    stopping() {
      isStopping = true
    },
    answer(request, path) {
      if (path !== '/livez' && path !== '/readyz') return null
      const other = otherMethod(request)
      if (other !== null) return other
      if (path === '/livez') {
        return new Response('ok\n', { headers: watchHeaders('text/plain; charset=utf-8') })
      }
      return report().then(
        (body) =>
          new Response(`${JSON.stringify(body)}\n`, {
            status: body.status === 'failed' ? 503 : 200,
            headers: {
              ...watchHeaders('application/json'),
              ...(body.status === 'failed' ? { 'retry-after': '5' } : {}),
            },
          }),
      )
    },
  }
}

function worst(results: readonly CheckResult[]): CheckResult['status'] {
  if (results.some((result) => result.status === 'failed')) return 'failed'
  return results.some((result) => result.status === 'degraded') ? 'degraded' : 'ok'
}

/** So many writes that fail in a row make the instance unready. */
const FAILED_WRITES = 3

/** Counts the writes that failed since the last one that succeeded. */
export function countFailedWrites<S extends Pick<Storage, 'write'>>(
  storage: S,
): { storage: S; failures(): number } {
  let failures = 0
  const write: Storage['write'] = async (work, options) => {
    try {
      const result = await storage.write(work, options)
      failures = 0
      return result
    } catch (error) {
      if (error instanceof StorageUnavailable) failures++
      throw error
    }
  }
  return { storage: { ...storage, write }, failures: () => failures }
}

/** Whether a write would succeed now, and those of others do: a few damaged pages spare the probe. */
export function storageCheck(
  storage: Pick<Storage, 'probe'>,
  failures: () => number = () => 0,
): HealthCheck {
  return {
    name: 'storage',
    async check() {
      try {
        await storage.probe()
      } catch {
        return { status: 'failed', reason: 'not_writable' }
      }
      if (failures() < FAILED_WRITES) return { status: 'ok' }
      return { status: 'failed', reason: 'writes_fail' }
    },
  }
}

/** Less free space than this is told, in bytes. */
export const DISK_LOW_BYTES = 512 * 1024 * 1024
/** With less than this, writes are about to fail. */
export const DISK_FULL_BYTES = 1024 * 1024

/** How much space is left where the data lies. */
export function diskCheck(dataDir: string, freeBytes = freeBytesOf): HealthCheck {
  return {
    name: 'disk',
    check() {
      // What is open goes on working for a while, and is lost with the process.
      if (!existsSync(dataDir)) return { status: 'failed', reason: 'missing' }
      const free = freeBytes(dataDir)
      if (free < DISK_FULL_BYTES) return { status: 'failed', reason: 'full' }
      if (free < DISK_LOW_BYTES) return { status: 'degraded', reason: 'low' }
      // The open files may still take what is written; new ones can't be made.
      return isWritable(dataDir) ? { status: 'ok' } : { status: 'degraded', reason: 'read_only' }
    },
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Bytes that this user may still write to the file system of `path`. */
export function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

/** Whether the secret would be found again by the next start. */
export function secretCheck(file: string | null): HealthCheck {
  return {
    name: 'secret',
    check() {
      if (file === null) return { status: 'ok' }
      if (!existsSync(file)) return { status: 'degraded', reason: 'missing' }
      try {
        accessSync(file, constants.R_OK)
        return { status: 'ok' }
      } catch {
        return { status: 'degraded', reason: 'unreadable' }
      }
    },
  }
}
