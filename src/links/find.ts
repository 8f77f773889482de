import type { Sql } from '../storage/index.ts'
import { type LinkRow, type LinkSeeker, sees, selectLinks } from './store.ts'

/** The caller's link with an address, as its slug or as an alias. */
export async function findLinkAt(
  sql: Sql,
  { key, domainNo }: { key: string; domainNo: number },
  seeker: LinkSeeker,
): Promise<LinkRow | undefined> {
  const row = await selectLinks(sql)
    .where('workspace_no', '=', seeker.workspace.no)
    .where('seq', '=', ({ selectFrom }) =>
      selectFrom('slugs')
        .select('link_seq')
        .where('slug_key', '=', key)
        .where('domain_no', '=', domainNo),
    )
    .executeTakeFirst()
  return row !== undefined && sees(seeker, row) ? row : undefined
}

/** The caller's link with an external id. */
export async function findLinkByExternalId(
  sql: Sql,
  externalId: string,
  seeker: LinkSeeker,
): Promise<LinkRow | undefined> {
  const row = await selectLinks(sql)
    .where('workspace_no', '=', seeker.workspace.no)
    .where('external_id', '=', externalId)
    .executeTakeFirst()
  return row !== undefined && sees(seeker, row) ? row : undefined
}
