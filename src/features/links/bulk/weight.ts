import { type RawBuilder, sql } from 'kysely'
import { permits } from '../../../http/index.ts'
import { createPause } from '../../../lib/base/turn.ts'
import { isObject } from '../../../lib/validation/checked.ts'
import { isSeen } from '../../../platform/storage/index.ts'
import type { LinkContext, LinkWriter } from '../context.ts'
import { tagNames } from '../joined.ts'
import { deletedLinks } from '../remove.ts'
import { RESTORE_REACH } from './schemas.ts'

/** The columns of a link that may be long, besides its tags. */
const LONG = ['destination_url', 'title', 'notes', 'aliases', 'fallback_url', 'social']
  .concat(['rules', 'variants'])
  .map((name) => sql`coalesce(octet_length(${sql.ref(`l.${name}`)}), 0)`)

const STORED = sql<number>`${sql.join(LONG, sql` + `)} + octet_length(${tagNames('l')})`

/** A link, or what operations make of it: how many bytes it has at most. */
interface Weighed {
  bytes: number
}

/** What an operation says about which link it is about. */
interface Named {
  /** Where {@link Weighed} links are found: by what it names, and by what it makes another name. */
  name: string | null
  then: string | null
  isNew: boolean
  /** The members of the link that it sends. */
  sent: unknown
  /** The id of a link that gets an earlier version. */
  restored: string | null
}

/**
 * How many bytes the link of each operation has that names one, as it is stored before and by what
 * earlier operations of the request send for it: each records and answers all of them. A link that
 * the caller can't see or change weighs nothing.
 */
export async function weigh(
  ctx: Pick<LinkContext, 'storage' | 'clock'>,
  caller: LinkWriter,
  operations: readonly unknown[],
): Promise<number[]> {
  const named = operations.map(namedBy)
  const { scopes } = caller
  if (scopes && !permits({ scopes }, 'links:write')) return named.map(() => 0)
  const links = await storedLinks(ctx, caller, named)
  const weights: number[] = []
  const pause = createPause()
  for (const { name, then, isNew, sent } of named) {
    await pause()
    const own = (name === null ? undefined : links.get(name)) ?? new Set<Weighed>([{ bytes: 0 }])
    weights.push(isNew ? 0 : Math.max(...[...own].map(({ bytes }) => bytes)))
    if (name === null) continue
    const more = Buffer.byteLength(JSON.stringify(sent ?? null))
    for (const link of own) link.bytes += more
    links.set(name, own)
    // Which of the links has the external id then depends on whether the operation succeeds.
    if (then !== null) links.set(then, own.union(links.get(then) ?? new Set<Weighed>()))
  }
  return weights
}

const idName = (id: string) => `id ${id}`
const externalName = (externalId: string) => `external_id ${externalId}`

function namedBy(raw: unknown): Named {
  const members = (value: unknown) => (isObject(value) ? value : {}) as Record<string, unknown>
  const { op, id, external_id, version, link } = members(raw)
  const { external_id: other } = members(link)
  const then = typeof other === 'string' ? externalName(other) : null
  const isNew = op === 'create'
  const name =
    typeof id === 'string' && !isNew
      ? idName(id)
      : typeof external_id === 'string' && !isNew
        ? externalName(external_id)
        : then
  const restored = op === 'restore' && version !== undefined && typeof id === 'string' ? id : null
  return { name, then, isNew, sent: link, restored }
}

/** The links that operations name, by id and external id, also deleted ones. */
async function storedLinks(
  { storage: { reports }, clock }: Pick<LinkContext, 'storage' | 'clock'>,
  caller: LinkWriter,
  operations: readonly Named[],
): Promise<Map<string, Set<Weighed>>> {
  const names = new Set(operations.flatMap(({ name, then }) => [name ?? [], then ?? []].flat()))
  const namedAs = (of: (text: string) => string) =>
    [...names].filter((name) => name.startsWith(of(''))).map((name) => name.slice(of('').length))
  const ids = namedAs(idName)
  const externalIds = namedAs(externalName)
  const restored = [...new Set(operations.flatMap((each) => each.restored ?? []))]
  const links = reports.db
    .selectFrom('links as l')
    .select(['l.id', 'l.external_id'])
    .select(sql<number>`${STORED} + ${historyOf(sql.ref('l.id'), restored)}`.as('bytes'))
    .where('l.workspace_no', '=', caller.workspace.no)
    .where(isSeen(caller))
  const deleted = deletedLinks(reports, caller, clock.now())
    .select(['id', sql<null>`NULL`.as('external_id')])
    .select(
      sql<number>`octet_length(${sql.ref('deleted_links.row')})
      + ${historyOf(sql.ref('deleted_links.id'), restored)}`.as('bytes'),
    )
  const rows = [
    ...(ids.length === 0 ? [] : await links.where('l.id', 'in', ids).execute()),
    ...(ids.length === 0 ? [] : await deleted.where('id', 'in', ids).execute()),
    ...(externalIds.length === 0
      ? []
      : await links.where('l.external_id', 'in', externalIds).execute()),
  ]
  const found = new Map<string, Set<Weighed>>()
  for (const { id, external_id, bytes } of rows) {
    const link = found.get(idName(id)) ?? new Set([{ bytes: Number(bytes) }])
    found.set(idName(id), link)
    if (external_id !== null) found.set(externalName(external_id), link)
  }
  return found
}

/** Entries of a link's history that are weighed for a restore: not each of them is a version. */
const ENTRIES = 2 * RESTORE_REACH

/** The bytes of the earlier values that a link may get again, if it is one of `restored`. */
function historyOf(id: RawBuilder<unknown>, restored: readonly string[]): RawBuilder<number> {
  if (restored.length === 0) return sql`0`
  return sql`CASE WHEN ${id} IN (${sql.join(restored)}) THEN
    (SELECT coalesce(sum(octet_length(h.fields)), 0) FROM (
      SELECT a.${sql.ref('before')} AS fields FROM audit a
      WHERE a.target_id = ${id} ORDER BY a.seq DESC LIMIT ${sql.lit(ENTRIES)}) h)
    ELSE 0 END`
}
