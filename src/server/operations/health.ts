import type { Clock } from '../../lib/base/clock.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { withTimeout } from '../../lib/base/with-timeout.ts'
import { otherMethod, watchHeaders } from './answers.ts'

/**
 * The state of a part. `degraded` parts are reported but don't make the instance unready; `reason`
 * is a stable keyword, never an internal text.
 */
export interface CheckResult {
  status: 'ok' | 'degraded' | 'failed'
  reason?: string
}

/** Checks a part of the instance; cheap enough for every second. */
export interface HealthCheck {
  name: string
  check(): CheckResult | Promise<CheckResult>
}

/** The part works. */
export const OK: CheckResult = { status: 'ok' }
/** The part works with restrictions. */
export const degraded = (reason: string): CheckResult => ({ status: 'degraded', reason })
/** The part doesn't work. */
export const failed = (reason: string): CheckResult => ({ status: 'failed', reason })

/** Serves `/livez` and `/readyz`. */
export type Health = ReturnType<typeof createHealth>

/** The body of `/readyz`. */
export interface HealthReport {
  status: 'ok' | 'degraded' | 'failed'
  checks: ({ name: string } & CheckResult)[]
}

/** Combines the checks. One fails after `timeoutMs`; results are cached for `keepMs`. */
export function createHealth(options: {
  checks: readonly HealthCheck[]
  clock: Clock
  logger: Logger
  timeoutMs?: number
  keepMs?: number
}) {
  const { checks, clock, logger, timeoutMs = 2_000, keepMs = 500 } = options
  let kept: { at: number; report: Promise<HealthReport> } | undefined
  let isStopping = false
  let last: HealthReport['status'] = 'ok'

  async function ask(): Promise<HealthReport> {
    const results = await Promise.all(
      checks.map(async (check) => ({ name: check.name, ...(await settle(check)) })),
    )
    const status = worst(results)
    if (status !== last) {
      const failing = results.filter((result) => result.status !== 'ok')
      if (status === 'ok') logger.info({ status }, 'All health checks pass again')
      else logger.warn({ status, failing }, 'A health check failed')
      last = status
    }
    return { status, checks: results }
  }

  async function settle({ name, check }: HealthCheck): Promise<CheckResult> {
    try {
      return await withTimeout(timeoutMs, check, failed('timeout'))
    } catch (err) {
      logger.warn({ err, check: name }, 'A health check threw')
      return failed('error')
    }
  }

  function report(): Promise<HealthReport> {
    if (isStopping) {
      const checks = [{ name: 'server', ...failed('stopping') }]
      return Promise.resolve({ status: 'failed', checks })
    }
    const now = clock.now()
    if (kept === undefined || now - kept.at >= keepMs || now < kept.at) {
      kept = { at: now, report: ask() }
    }
    return kept.report
  }

  async function answerReady(): Promise<Response> {
    const body = await report()
    const isFailed = body.status === 'failed'
    const retry = isFailed ? { 'retry-after': '5' } : {}
    return new Response(`${JSON.stringify(body)}\n`, {
      status: isFailed ? 503 : 200,
      headers: { ...watchHeaders('application/json'), ...retry },
    })
  }

  return {
    /** All checks, in the form of `/readyz`. */
    report,
    /** From now on `/readyz` responds with 503, so that load balancers remove this instance. */
    stopping() {
      isStopping = true
    },
    /** The response for one of the two paths, or null for any other. */
    answer(request: Request, path: string): Response | Promise<Response> | null {
      if (path !== '/livez' && path !== '/readyz') return null
      const other = otherMethod(request)
      if (other !== null) return other
      if (path === '/readyz') return answerReady()
      return new Response('ok\n', { headers: watchHeaders('text/plain; charset=utf-8') })
    },
  }
}

function worst(results: readonly CheckResult[]): CheckResult['status'] {
  const statuses = results.map(({ status }) => status)
  return (['failed', 'degraded'] as const).find((status) => statuses.includes(status)) ?? 'ok'
}
