/** A wrong setting, and how to correct it. Never contains a secret. */
export interface ConfigFault {
  /** Name of the environment variable. */
  variable: string
  /** What is wrong, as the end of a sentence that begins with the variable. */
  problem: string
  /** A valid value, or what to do. */
  example: string
}

/** Invalid settings, with all faults; commands exit with status 2. */
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

/** Adds a fault for a missing variable that another one requires, unless its value is invalid. */
export function missing(
  faults: ConfigFault[],
  variable: string,
  because: string,
  example: string,
): void {
  if (faults.some((fault) => fault.variable === variable)) return
  faults.push({ variable, problem: `is not set, but ${because} is`, example })
}
