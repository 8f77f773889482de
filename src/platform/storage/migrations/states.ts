import { oldData } from '../../../lib/errors/index.ts'

/** A migration, and whether it is applied. */
export interface MigrationState {
  database: 'main' | 'counters' | 'postgres'
  name: string
  /** RFC 3339, or null: not applied. */
  applied_at: string | null
  /** Whether it belongs to a newer, unknown version. */
  newer: boolean
}

/**
 * All migrations, including those of a newer version, and whether they are applied; `applied` maps
 * names to times.
 * @throws OperatorError
 */
export function statesOf(
  database: MigrationState['database'],
  migrations: Readonly<Record<string, unknown>>,
  applied: ReadonlyMap<string, string>,
): MigrationState[] {
  assertCurrentFormat(migrations, [...applied.keys()])
  return [...new Set([...Object.keys(migrations), ...applied.keys()])].sort().map((name) => ({
    database,
    name,
    applied_at: applied.get(name) ?? null,
    newer: !(name in migrations),
  }))
}

/** @throws OperatorError if migrations are applied, but not the baseline */
export function assertCurrentFormat(
  migrations: Readonly<Record<string, unknown>>,
  applied: readonly string[],
): void {
  const [baseline = ''] = Object.keys(migrations).sort()
  if (applied.length > 0 && !applied.includes(baseline)) throw oldData()
}
