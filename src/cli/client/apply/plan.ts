import type { Link, Slugline } from '../../../../sdk/typescript/src/index.ts'
import { LINK_READ_ONLY } from '../../../features/links/read-only.ts'
import { isSlugField } from '../../../model/links/slug-settings.ts'
import { type BulkOutcome, batchesOf, sendOperations } from '../bulk-requests.ts'
import { currentLinks, folderNames, foldersNamed, linksWithPrefix } from './current.ts'
import type { Declared, Place } from './files.ts'

/** What is to be done with a link. */
export interface Change {
  action: 'create' | 'update' | 'delete'
  externalId: string
  /** Null: of a new link. */
  id: string | null
  /** Null: a random slug of a new link. */
  shortUrl: string | null
  /** Null: no file declares it. */
  place: Place | null
  fields: Readonly<Record<string, FieldChange>>
  warnings: readonly { field: string; message: string }[]
  operation: Readonly<{ op: string; link?: Readonly<Record<string, unknown>> }>
}

/** The value of a field before and after; null: none. */
interface FieldChange {
  old: unknown
  new: unknown
}

/** A link whose change the instance refuses. */
export interface Refusal {
  externalId: string
  place: Place | null
  error: NonNullable<BulkOutcome['error']>
}

/** What makes the instance as the files say. */
export interface Plan {
  changes: Change[]
  /** How many declared links are as declared. */
  unchanged: number
  refusals: Refusal[]
}

/** Members that no file sets, and the name that is shown anyway. */
const HIDDEN: ReadonlySet<string> = new Set([...LINK_READ_ONLY, 'external_id'])

/** A password is never shown. */
const SECRET = '(secret)'

/** A change to be tried: `before` is the current link. */
type Draft = Pick<Change, 'action' | 'externalId' | 'place' | 'operation'> & { before: Link | null }

/**
 * Plans by a dry run of the operations: how the instance would answer is the new state, so that the
 * comparison needs no rules of its own. `prune`: the prefix of external ids that are deleted unless
 * declared.
 * @throws CommandError
 */
export async function planOf(
  slugline: Slugline,
  declared: readonly Declared[],
  prune: string | null,
): Promise<Plan> {
  const namesFolder = declared.some(({ link }) => typeof link.folder === 'string')
  const folders = namesFolder ? await folderNames(slugline) : null
  const refusals: Refusal[] = []
  const rows = declared.flatMap((each) => {
    const { folder, ...link } = each.link
    if (folder === undefined) return [each]
    const ids = typeof folder === 'string' && folders ? foldersNamed(folders, folder) : [null]
    if (ids.length === 1) return [{ ...each, link: { ...link, folder_id: ids[0] } }]
    refusals.push({ ...each, error: noFolder(String(folder), ids) })
    return []
  })
  const current = await currentLinks(
    slugline,
    declared.map(({ externalId }) => externalId),
  )
  const found = prune === null ? [] : await linksWithPrefix(slugline, prune)
  const isDeclared = new Set(declared.map(({ externalId }) => externalId))
  const deleted = found.filter((link) => !isDeclared.has(link.external_id as string))
  const freed = new Set<unknown>(deleted.flatMap(({ slug, aliases }) => [slug, ...aliases]))
  const drafts = [
    // In one request with the links that take their slugs.
    ...deleted.map(deletionOf),
    ...[true, false]
      .flatMap((isNext) => rows.filter(({ link }) => freed.has(link.slug) === isNext))
      .map((row) => draftOf(row, current.get(row.externalId) ?? null)),
  ]
  const changes: Change[] = []
  let unchanged = 0
  let next = 0
  for await (const operations of batchesOf(drafts.map(({ operation }) => operation))) {
    for await (const { data } of sendOperations(slugline, operations, { dryRun: true })) {
      for (const { error, link } of data) {
        const draft = drafts[next++] as Draft
        if (error !== undefined) refusals.push({ ...draft, error })
        else if (link !== undefined && link.version === draft.before?.version) unchanged++
        else changes.push(changeOf(draft, link ?? null, folders))
      }
    }
  }
  return { changes, unchanged, refusals }
}

function noFolder(folder: string, ids: readonly unknown[]): Refusal['error'] {
  const isMissing = ids.length === 0
  const code = isMissing ? 'FOLDER_NOT_FOUND' : 'FOLDER_AMBIGUOUS'
  const message = isMissing
    ? `Folder “${folder}” not found`
    : `${ids.length} folders are called ${folder}; give an id: ${ids.join(', ')}`
  return { code, message, details: [{ field: 'folder', code, message }] }
}

function deletionOf(before: Link): Draft {
  const operation = { op: 'delete', id: before.id, if_match: before.version }
  return {
    action: 'delete',
    externalId: before.external_id as string,
    place: null,
    before,
    operation,
  }
}

/** An update holds for the version that was read, so that no edit since is overwritten. */
function draftOf({ externalId, link, place }: Declared, before: Link | null): Draft {
  if (before === null) {
    return { action: 'create', externalId, place, before, operation: { op: 'create', link } }
  }
  const entries = Object.entries(link).filter(
    // How a slug is made up matters to new links. A password can't be compared with the stored one.
    ([name, value]) =>
      !isSlugField(name) && !(name === 'password' && before.has_password && value !== null),
  )
  const { id, version: if_match } = before
  const operation = { op: 'update', id, if_match, link: Object.fromEntries(entries) }
  return { action: 'update', externalId, place, before, operation }
}

function changeOf(
  { before, ...draft }: Draft,
  after: Link | null,
  folders: ReadonlyMap<string, string> | null,
): Change {
  const named = draft.operation.link ?? {}
  const names = draft.action === 'create' ? Object.keys(named) : Object.keys(after ?? {})
  const fields: Record<string, FieldChange> = {}
  for (const name of names) {
    const [old, now] = [fieldOf(before, name), fieldOf(after, name)]
    // The parameters of a destination are a view of it.
    const isShown = !HIDDEN.has(name) && (name !== 'utm' || name in named)
    if (!isShown || Bun.deepEquals(old, now)) continue
    if (name !== 'folder_id' || folders === null) fields[name] = { old, new: now }
    else
      fields.folder = { old: folders.get(String(old)) ?? old, new: folders.get(String(now)) ?? now }
  }
  if ('password' in named && before?.has_password !== after?.has_password) {
    const secret = (link: Link | null) => (link?.has_password ? SECRET : null)
    fields.password = { old: secret(before), new: secret(after) }
  }
  const isRandom = before === null && !('slug' in named)
  const shortUrl = isRandom ? null : ((after ?? before)?.short_url ?? null)
  const warnings = after?.warnings ?? []
  return { ...draft, id: before?.id ?? null, shortUrl, fields, warnings }
}

function fieldOf(link: Link | null, name: string): unknown {
  return (link as Record<string, unknown> | null)?.[name] ?? null
}
