import { z } from '@hono/zod-openapi'
import type { Allowed } from '../../lib/base/view.ts'
import { type ErrorDetail, invalid } from '../../lib/errors/index.ts'
import { boundedList, checked } from '../../lib/validation/checked.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Domains } from '../../model/domains/index.ts'
import {
  isToLinks,
  RESTRICTED_MAX,
  RESTRICTIONS,
  type Restrictions,
  type ShownRestrictions,
} from '../../model/keys/restrictions.ts'
import { network } from '../../platform/config/parse.ts'
import type { Sql } from '../../platform/storage/index.ts'
import { predecessors } from './predecessors.ts'

/** Names of at most this many characters are looked up: hosts, ids and tags are shorter. */
const NAME_MAX = 255

/** What finding the domains of restrictions needs. */
export type RestrictedDomains = Pick<Domains, 'hostOf' | 'knownTo'>

const name = checked(z.string(), (text) => {
  if (text.length > NAME_MAX) return new ValidationIssue('TOO_LONG', { max: NAME_MAX })
  return text.trim() === '' ? new ValidationIssue('REQUIRED') : text.trim()
})

const cidr = checked(z.string(), (text) => {
  try {
    return text.length > NAME_MAX
      ? new ValidationIssue('TOO_LONG', { max: NAME_MAX })
      : network(text)
  } catch {
    return new ValidationIssue('INVALID_VALUE', {})
  }
})

function listOf(item: z.ZodType<string>, description: string, example: string) {
  const list = boundedList(item, { min: 1, max: RESTRICTED_MAX })
  return checked(list, (all) => [...new Set(all)])
    .nullable()
    .optional()
    .openapi({
      type: ['array', 'null'],
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      maxItems: RESTRICTED_MAX,
      description,
      example: [example],
    })
}

/** The restrictions of a request; on PATCH a merge patch. */
export const RestrictionsInput = z
  .strictObject({
    domains: listOf(name, 'Only links on one of these short domains.', 'go.example.com'),
    folders: listOf(name, 'Only links in one of these folders.', 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8'),
    tags: listOf(name, 'Only links with one of these tags, by name.', 'spring'),
    networks: listOf(
      cidr,
      'The key works only from these addresses, and networks in CIDR notation (RFC 4632).',
      '192.0.2.0/24',
    ),
    own_links: z.boolean().nullable().optional().openapi({
      description: 'True: only links that this key made, or the keys that it was rotated from.',
    }),
  })
  .openapi('ApiKeyRestrictionsInput')

/** Restrictions as they are given, of hosts, ids and names. */
export type RestrictionsPatch = z.output<typeof RestrictionsInput>

/** The restrictions of a key's row. */
export function restrictionsOf(stored: string | null): Restrictions | undefined {
  return stored === null ? undefined : (JSON.parse(stored) as Restrictions)
}

/** The column of restrictions. */
export function storedRestrictions(restrictions: Restrictions): string | null {
  const given = Object.entries(restrictions).filter(([, list]) => list !== undefined)
  return given.length === 0 ? null : JSON.stringify(Object.fromEntries(given))
}

/**
 * Restrictions with these changes, by numbers and ids. `fault` is called for names that are unknown.
 * @throws AppError VALIDATION_FAILED (UNKNOWN_DOMAIN, FOLDER_NOT_FOUND, TAG_NOT_FOUND)
 */
export async function changedRestrictions(
  sql: Sql,
  domains: RestrictedDomains,
  workspaceNo: number,
  before: Restrictions,
  patch: RestrictionsPatch | null,
  /** What who asks is restricted to: of other objects they don't learn whether they exist. */
  held: Restrictions = {},
  /** The field that the names are in. */
  of: 'restrictions' | 'filter' = 'restrictions',
): Promise<Restrictions> {
  if (patch === null) return {}
  const faults: ErrorDetail[] = []
  /** The values of names; unknown ones are faults. */
  function known<T extends string | number>(
    field: 'domains' | 'folders' | 'tags',
    names: readonly string[],
    find: (name: string) => T | undefined,
    code: 'UNKNOWN_DOMAIN' | 'FOLDER_NOT_FOUND' | 'TAG_NOT_FOUND',
  ): T[] {
    const reached = held[field] as readonly T[] | undefined
    return names.flatMap((one, i) => {
      const value = find(one)
      if (value !== undefined && reached?.includes(value) !== false) return [value]
      faults.push({ field: `${of}.${field}[${i}]`, code })
      return []
    })
  }
  const after: { -readonly [K in keyof Restrictions]: Restrictions[K] } = { ...before }
  for (const name of RESTRICTIONS) {
    if (patch[name] === null || patch[name] === false) delete after[name]
  }
  if (patch.own_links) after.own_links = true
  if (patch.networks) after.networks = patch.networks
  if (patch.domains) {
    const noOf = (host: string) => domains.knownTo(workspaceNo, host)
    after.domains = [...new Set(known('domains', patch.domains, noOf, 'UNKNOWN_DOMAIN'))]
  }
  if (patch.folders) {
    const ids = new Set(await foldersNow(sql, workspaceNo, patch.folders))
    const idOf = (id: string) => (ids.has(id) ? id : undefined)
    after.folders = known('folders', patch.folders, idOf, 'FOLDER_NOT_FOUND')
  }
  if (patch.tags) {
    const keys = patch.tags.map(foldCase)
    const rows = await tagsNow(sql, workspaceNo).where('key', 'in', keys).execute()
    const ids = new Map(rows.map(({ key, id }) => [key, id]))
    const idOf = (tag: string) => ids.get(foldCase(tag))
    after.tags = [...new Set(known('tags', patch.tags, idOf, 'TAG_NOT_FOUND'))]
  }
  if (faults.length > 0) throw invalid(...faults)
  return after
}

/** Restrictions of several keys as responses have them; those of deleted tags are left out. */
export async function shownRestrictions(
  sql: Sql,
  domains: RestrictedDomains,
  all: readonly (Restrictions | undefined)[],
): Promise<(ShownRestrictions | null)[]> {
  const ids = [...new Set(all.flatMap((one) => one?.tags ?? []))]
  const tags = new Map<string, string>()
  for (let at = 0; at < ids.length; at += RESTRICTED_MAX) {
    const some = ids.slice(at, at + RESTRICTED_MAX)
    const rows = sql.db.selectFrom('tags').select(['id', 'name']).where('merged_into', 'is', null)
    for (const { id, name } of await rows.where('id', 'in', some).execute()) tags.set(id, name)
  }
  return all.map((one) => {
    if (one === undefined) return null
    return {
      ...(one.domains && { domains: one.domains.map(domains.hostOf) }),
      ...(one.folders && { folders: [...one.folders] }),
      ...(one.tags && { tags: one.tags.flatMap((id) => tags.get(id) ?? []) }),
      ...(one.networks && { networks: [...one.networks] }),
      ...(one.own_links && { own_links: true as const }),
    }
  })
}

/**
 * The links that restrictions allow now; undefined: all. What was deleted or merged into another
 * allows none.
 */
export async function allowedBy(
  sql: Sql,
  workspaceNo: number,
  restrictions: Restrictions | undefined,
  keyId: string,
): Promise<Allowed | undefined> {
  if (restrictions === undefined || !isToLinks(restrictions)) return undefined
  const { domains, folders: ids, tags: tagIds, own_links } = restrictions
  const { db } = sql
  const folders =
    ids &&
    (await db
      .selectFrom('folders as f')
      .innerJoin('folders as m', (join) =>
        join.on((e) => e('m.id', '=', e.fn.coalesce('f.merged_into', 'f.id'))),
      )
      .select('f.id')
      .where('f.workspace_no', '=', workspaceNo)
      .where('m.id', 'in', ids)
      .orderBy('f.id')
      .execute())
  const tags =
    tagIds &&
    (await db
      .selectFrom('tags as t')
      .innerJoin('tags as s', (join) =>
        join.onRef('s.workspace_no', '=', 't.workspace_no').onRef('s.key', '=', 't.key'),
      )
      .select('s.no')
      .where('t.workspace_no', '=', workspaceNo)
      .where('t.id', 'in', tagIds)
      .where('t.merged_into', 'is', null)
      .orderBy('s.no')
      .execute())
  return {
    ...(domains && { domains }),
    ...(folders && { folders: folders.map(({ id }) => id) }),
    ...(tags && { tags: tags.map(({ no }) => no) }),
    ...(own_links && { creators: await predecessors(sql, workspaceNo, keyId) }),
  }
}

async function foldersNow({ db }: Sql, workspaceNo: number, ids: readonly string[]) {
  const rows = db.selectFrom('folders').select('id').where('workspace_no', '=', workspaceNo)
  const found = await rows.where('id', 'in', ids).where('merged_into', 'is', null).execute()
  return found.map(({ id }) => id)
}

function tagsNow({ db }: Sql, workspaceNo: number) {
  return db
    .selectFrom('tags')
    .select(['id', 'key'])
    .where('workspace_no', '=', workspaceNo)
    .where('merged_into', 'is', null)
}
