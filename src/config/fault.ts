/** One wrong setting, and how to correct it. Never carries a secret. */
export interface ConfigFault {
  /** Name of the environment variable. */
  variable: string
  /** What is wrong, as the end of a sentence that begins with the variable. */
  problem: string
  /** A right value, or what to do. */
  example: string
}

/** The settings can't be used. Holds all faults; commands end with status 2. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  constructor(readonly faults: readonly ConfigFault[]) {
    super(
      faults
        .map(({ variable, problem, example }) => `${variable} ${problem}. Example: ${example}`)
        .join('\n'),
    )
  }
}

/** Adds the fault that a variable is needed by another one and is not set, unless its value is wrong. */
export function missing(
  faults: ConfigFault[],
  variable: string,
  because: string,
  example: string,
): void {
  if (faults.some((fault) => fault.variable === variable)) return
  faults.push({ variable, problem: `is not set, but ${because} is`, example })
}
