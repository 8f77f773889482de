import type { Kysely } from 'kysely'

/**
 * One step of PostgreSQL's tables. While it is applied, nodes that don't know it go on working;
 * docs/upgrading.md has the rules that follow from that.
 */
export type PostgresMigration = Step & {
  /**
   * The last migration that a node must know to work on the tables once this one is applied: older
   * ones refuse to start. Absent: older nodes go on working.
   */
  readonly oldestNode?: string
}

type Step =
  /** Changes tables, in one transaction. */
  | { up(db: Kysely<never>): Promise<void> }
  /**
   * Changes many rows: some of those that are left over at each call, in a transaction of its own.
   * False: none are left. Killed in between, it goes on where it was.
   */
  | { batch(db: Kysely<never>): Promise<boolean> }
