import { OperatorError } from '../../lib/errors/index.ts'

/**
 * State of the store: `opening` (not tried yet), `ok`, `locked` (another process has the file),
 * `corrupt` (damaged, or not one of ours), `full` (no space left), `migrating` (its tables are migrated,
 * by this process or another node), `newer` (its tables are of a newer version), `failed` (any other
 * reason).
 */
export type StoreState =
  | 'opening'
  | 'ok'
  | 'locked'
  | 'corrupt'
  | 'full'
  | 'migrating'
  | 'newer'
  | 'failed'

/** The state of the statistics file after an error of DuckDB or of the file system. */
export function stateOf(error: unknown): Exclude<StoreState, 'ok' | 'opening'> {
  if (error instanceof OperatorError && error.code === 'STATISTICS_MIGRATING') return 'migrating'
  if (error instanceof OperatorError && error.code === 'DATA_NEWER') return 'newer'
  const text = error instanceof Error ? error.message : String(error)
  if (/could not set lock|conflicting lock/i.test(text)) return 'locked'
  if (/no space left|disk full|ENOSPC|out of disk/i.test(text)) return 'full'
  if (
    /not a valid DuckDB database|checksum|corrupt|could not deserialize|serialization error|different version|storage version|newer version|failure while replaying|unexpected end of file|could not read enough bytes|could not read from file/i.test(
      text,
    )
  ) {
    return 'corrupt'
  }
  return 'failed'
}

/**
 * Whether an error of DuckDB may come from a log that is damaged, other than by missing its end. Its
 * memory may in fact be short, and an internal error have another reason.
 */
export function isLogTorn(error: unknown): boolean {
  return /Failure while replaying WAL file .*(Corrupt WAL file|Allocation failure|Invalid WAL entry)/.test(
    String(error),
  )
}
