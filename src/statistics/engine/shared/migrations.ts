import { OperatorError, oldData } from '../../../lib/errors/index.ts'

/** A numbered change of an engine's tables of clicks. A released one is never changed. */
export interface ClickMigration<E> {
  /** The schema that it makes: one more than that of the migration before it. */
  readonly version: number
  /**
   * Makes the change, or a part of it: true, if there is more. It is called again for the rest, and
   * after an interruption, so each call finds by itself what is left.
   */
  up(engine: E): Promise<boolean | undefined>
}

/**
 * The migrations that tables lack.
 * @param name of what has the tables, for the message
 * @param applied their schema, 0: there are none; `oldest`: the oldest one that a program must know to work with them
 * @throws OperatorError if this version doesn't know it, or it is from before the first migration
 */
export function missingMigrations<M extends { readonly version: number }>(
  name: string,
  migrations: readonly M[],
  { applied, oldest = applied }: { applied: number; oldest?: number },
): readonly M[] {
  const known = migrations.at(-1)?.version ?? 0
  if (oldest > known) {
    throw new OperatorError(
      'DATA_NEWER',
      `${name} has schema ${applied} of clicks, made by a newer version of Slugline; this version ` +
        `knows schemas up to ${known}. Start the newer version, or restore the backup from before the upgrade`,
    )
  }
  if (applied !== 0 && applied < (migrations[0]?.version ?? 0)) throw oldData()
  return migrations.filter(({ version }) => version > applied)
}

/** Applies migrations in order. @param step of one; true: it is to be repeated */
export async function runMigrations<M>(
  migrations: readonly M[],
  step: (migration: M) => Promise<boolean>,
): Promise<void> {
  for (const migration of migrations) while (await step(migration));
}
