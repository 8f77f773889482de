import type { Sql, Transaction } from '../storage/index.ts'

/** A host and the number that stands for it in every other table. */
export interface DomainRow {
  no: number
  host: string
}

/** All hosts that were ever served. */
export async function allDomains(sql: Sql): Promise<DomainRow[]> {
  return sql.db.selectFrom('domains').select(['no', 'host']).orderBy('no').execute()
}

/** Adds a host under a number, or gives the number another host. */
export async function putDomain(tx: Transaction, { no, host }: DomainRow): Promise<void> {
  await tx.db
    .insertInto('domains')
    .values({ no, host })
    .onConflict((conflict) => conflict.column('no').doUpdateSet({ host }))
    .execute()
}

/** Forgets a host, unless a slug was ever given out on it. Whether it is gone. */
export async function dropUnusedDomain(tx: Transaction, no: number): Promise<boolean> {
  const dropped = await tx.db
    .deleteFrom('domains')
    .where('no', '=', no)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('slugs').select('slug_key').where('domain_no', '=', no))),
    )
    .returning('no')
    .execute()
  return dropped.length > 0
}
