import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
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
