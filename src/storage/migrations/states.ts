/** One migration and whether it has been applied. */
export interface MigrationState {
  database: 'main' | 'counters' | 'postgres'
  name: string
  /** RFC 3339, or null while it waits. */
  applied_at: string | null
  /** Whether a newer version has applied it: this one doesn't know it. */
  newer: boolean
}

/** The tables were made before the baseline, by a version that was never released. */
export class OldFormat extends Error {
  override name = 'OldFormat'
}

/**
 * All migrations, those of a newer version included, and which of them are applied; `applied` gives
 * the time by the name.
 * @throws OldFormat
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

/** @throws OldFormat where migrations are applied, and the baseline isn't one of them. */
export function assertCurrentFormat(
  migrations: Readonly<Record<string, unknown>>,
  applied: readonly string[],
): void {
  const [baseline = ''] = Object.keys(migrations).sort()
  if (applied.length > 0 && !applied.includes(baseline)) throw new OldFormat(applied[0])
}
