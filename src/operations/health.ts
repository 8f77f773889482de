import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { within } from '../base/within.ts'
import { otherMethod, watchHeaders } from './answers.ts'

/**
 * The state of a part. `degraded` parts are reported but don't make the instance unready; `reason` is a
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

/** A part that does well. */
export const OK: CheckResult = { status: 'ok' }
/** A part that works, but not as it should. */
export const degraded = (reason: string): CheckResult => ({ status: 'degraded', reason })
/** A part that doesn't work. */
export const failed = (reason: string): CheckResult => ({ status: 'failed', reason })

/** Answers `/livez` and `/readyz`. */
export type Health = ReturnType<typeof createHealth>

/** The body of `/readyz`. */
export interface HealthReport {
  status: 'ok' | 'degraded' | 'failed'
  checks: ({ name: string } & CheckResult)[]
}

/**
 * Puts the checks together. A check that takes longer than `timeoutMs` has failed; an answer is given
 * again for `keepMs`, however often it is asked for.
 */
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
      if (status === 'ok') logger.info({ status }, 'All health checks are fine again')
      else logger.warn({ status, failing }, 'A health check is not fine')
      last = status
    }
    return { status, checks: results }
  }

  async function settle({ name, check }: HealthCheck): Promise<CheckResult> {
    try {
      return await within(timeoutMs, check, failed('timeout'))
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
    /** All checks, as `/readyz` tells them. */
    report,
    /** From now on `/readyz` answers 503, so that a load balancer looks elsewhere. */
    stopping() {
      isStopping = true
    },
    /** The answer to a request for one of the two paths, or null for any other. */
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
