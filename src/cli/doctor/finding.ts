import { ConfigError } from '../../platform/config/index.ts'

/** A result of the doctor. `advice` says what to do about a problem or warning. */
export interface Finding {
  check: string
  /** A `warning` works, but needs attention. A `problem` makes the exit status 1. */
  status: 'ok' | 'warning' | 'problem'
  message: string
  advice?: string
}

const report =
  (status: Finding['status']) =>
  (check: string, message: string, advice?: string): Finding =>
    advice === undefined ? { check, status, message } : { check, status, message, advice }

export const ok = report('ok')
export const warning = report('warning')
export const problem = report('problem')

/** Runs a check. An error becomes a problem, so that other checks still run. */
export async function guarded(
  check: string,
  advice: string,
  examine: () => Finding | Finding[] | Promise<Finding | Finding[]>,
): Promise<Finding[]> {
  try {
    return [await examine()].flat()
  } catch (error) {
    if (!(error instanceof ConfigError)) return [problem(check, reasonOf(error), advice)]
    return error.faults.map(({ variable, problem: fault, example }) =>
      problem(check, `${variable} ${fault}`, `example: ${example}`),
    )
  }
}

/** Errors with only a code come from the network: their messages may contain addresses. */
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as Error & Record<'code' | 'responseCode', string>
  const isOurs = code === undefined || /^(SQLITE|[a-z])/.test(code)
  return isOurs ? message : `it can't be used (${[code, responseCode].filter(Boolean).join(' ')})`
}
