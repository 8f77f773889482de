/** What the doctor found of one thing. */
export interface Finding {
  check: string
  /** A `problem` makes the exit status 1. */
  status: 'ok' | 'warning' | 'problem'
  message: string
  /** What to do; absent when all is well. */
  advice?: string
}

/** All is well. */
export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message }
}

/** It works, and will hurt some day. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: 'warning', message, advice }
}

/** It doesn't work, or isn't safe. */
export function problem(check: string, message: string, advice: string): Finding {
  return { check, status: 'problem', message, advice }
}
