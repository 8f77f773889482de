import { sql } from 'kysely'
import { SEQS_PER_WORKSPACE, type Storage } from '../../../storage/index.ts'
import type { World } from '../../reports/testing/world.ts'
import { KIND, TEXT_COLUMNS } from '../../store/schema.ts'

const workspaceOf = (seq: number) => Math.floor(seq / SEQS_PER_WORKSPACE)

/** Stores a world instead of the one before. */
export async function store(storage: Pick<Storage, 'write'>, it: World): Promise<World> {
  const clicks = it.clicks.map(({ linkSeq, visitor, kind, trigger, domainNo, ...click }) => ({
    ...click,
    link_seq: linkSeq,
    workspace_no: workspaceOf(linkSeq),
    domain_no: domainNo,
    visitor: visitor === null ? null : String(BigInt.asIntN(64, visitor)),
    kind: KIND[kind],
    qr: trigger === 'qr',
  }))
  const days = new Map<string, object>()
  for (const { link, ...row } of it.purged) {
    days.set(`${link} ${row.day} ${row.kind}`, {
      ...row,
      link_seq: link,
      workspace_no: workspaceOf(link),
    })
  }
  const purged = new Map(it.purged.map((row) => [`${row.link} ${row.day} ${row.kind}`, row]))
  await storage.write(async ({ db }) => {
    await sql`DELETE FROM clicks`.execute(db)
    await sql`DELETE FROM click_days`.execute(db)
    await sql`INSERT INTO clicks (link_seq, time, n, visitor, workspace_no, domain_no, kind, qr,
        ${sql.raw(TEXT_COLUMNS.join(', '))})
      SELECT link_seq, time, n, visitor, workspace_no, domain_no, kind, qr,
        ${sql.raw(TEXT_COLUMNS.join(', '))}
      FROM jsonb_populate_recordset(NULL::clicks, ${JSON.stringify(clicks)}::jsonb)`.execute(db)
    await sql`INSERT INTO click_days SELECT * FROM
      jsonb_populate_recordset(NULL::click_days, ${JSON.stringify([...days.values()])}::jsonb)`.execute(
      db,
    )
  })
  return { ...it, purged: [...purged.values()] }
}
