import { z } from '@hono/zod-openapi'
import type { Link } from '../links/index.ts'
import type { DeletedLinkList } from '../links/schemas.ts'
import { type Call, CallFailure, get, jsonOf, refusal } from './call.ts'
import { folderId, LINK, linkId, linkPath } from './find.ts'
import { LINK_OUTPUT } from './read-links.ts'
import { clearable, flag, text, texts, tool, whole } from './tool.ts'

/** The pages of deleted links that are searched for a slug. */
const DELETED_PAGES = 10

/** Fields of new and changed links. */
const FIELDS = {
  slug: text('The part after the domain, such as summer-sale. Absent for a new link: random.', 512),
  domain: text('The short domain, one of this instance.', 300),
  title: clearable('A name for lists.', 1_024),
  notes: clearable('Notes that visitors never see.', 20_000),
  tags: texts('The tags. An update replaces the whole list. New tags are created.', 50),
  folder: clearable('The name or id of a folder.', 200),
  external_id: clearable('The id of the link in another system.', 1_024),
  starts_at: clearable('Redirects from this time on (RFC 3339).', 64),
  expires_at: clearable('Stops redirecting at this time (RFC 3339).', 64),
  max_clicks: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .describe('Stops redirecting after this many clicks by people. null: no limit.'),
  fallback_url: clearable('Where visitors go when the link has expired or is disabled.'),
  password: clearable('A password that visitors must enter.', 1_024),
  redirect_status: z
    .union([z.literal(301), z.literal(302), z.literal(307), z.literal(308)])
    .optional()
    .describe('The HTTP status of the redirect. Default: 302.'),
  forward_query: flag("Adds the visitor's query parameters to the destination."),
}

const FieldsSchema = z.object(FIELDS)

/** The body of the API for these arguments. */
async function bodyOf(
  call: Call,
  { folder, ...rest }: Partial<z.output<typeof FieldsSchema>> & Record<string, unknown>,
) {
  if (folder === undefined) return rest
  return { ...rest, folder_id: folder === null ? null : await folderId(call, folder) }
}

function toResult(link: Link, done: string) {
  const warnings = (link.warnings ?? []).map(({ message }) => ` Warning: ${message}`).join('')
  return {
    text: `${done} ${link.short_url}, which leads to ${link.destination_url} (${link.status}).${warnings}`,
    data: { link },
  }
}

export const createLink = tool({
  name: 'create_link',
  title: 'Create a link',
  description:
    'Create a short link to a URL. Set reuse_existing to get the existing link instead of a second ' +
    'one with the same destination and fields.',
  scopes: ['links:create'],
  effect: 'adds',
  input: {
    destination_url: z.string().min(1).max(8_192).describe('The http or https URL to redirect to.'),
    ...FIELDS,
    reuse_existing: flag('Return an existing link with the same destination and fields, if any.'),
    idempotency_key: text('A unique text: a repeated call with it creates nothing more.', 255),
  },
  output: LINK_OUTPUT,
  async run(call, { reuse_existing, idempotency_key, ...fields }) {
    const response = await call('POST', '/links', {
      query: { if_exists: reuse_existing ? 'return' : undefined },
      json: await bodyOf(call, fields),
      headers: idempotency_key === undefined ? {} : { 'Idempotency-Key': idempotency_key },
    })
    return toResult((await response.json()) as Link, response.status === 201 ? 'Created' : 'Found')
  },
})

export const updateLink = tool({
  name: 'update_link',
  title: 'Update a link',
  description:
    'Change fields of one link. Absent fields stay as they are; null clears a field. A replaced ' +
    'slug keeps working as an alias. Set enabled to false to stop redirects, archived to hide the ' +
    'link from lists. restore_link undoes it.',
  scopes: ['links:write'],
  effect: 'changes',
  input: {
    link: LINK,
    destination_url: text('The new URL to redirect to.'),
    ...FIELDS,
    enabled: flag('false: visitors get 410 Gone; true: redirects again.'),
    archived: flag('true: lists omit the link; it still redirects.'),
    if_version: whole('Change it only if it still has this version.', 2 ** 31),
  },
  output: LINK_OUTPUT,
  async run(call, { link: name, if_version, ...fields }) {
    if (Object.values(fields).every((value) => value === undefined)) {
      throw refusal('VALIDATION_FAILED', 'Give a field to change.')
    }
    const json = await bodyOf(call, fields)
    const headers = if_version === undefined ? {} : { 'If-Match': `"${if_version}"` }
    const link = await jsonOf<Link>(call('PATCH', await linkPath(call, name), { json, headers }))
    return toResult(link, 'Updated')
  },
})

export const deleteLink = tool({
  name: 'delete_link',
  title: 'Delete a link',
  description:
    'Delete one link: it stops redirecting immediately. restore_link brings it back within 7 days. ' +
    'To stop redirects for a while, use update_link with enabled: false instead.',
  scopes: ['links:write'],
  effect: 'deletes',
  input: { link: LINK },
  output: { deleted: z.string().describe('The id or name of the deleted link') },
  async run(call, { link: name }) {
    const path = await linkPath(call, name)
    await call('DELETE', path)
    const deleted = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
    return { text: `Deleted ${name}. It can be restored for 7 days.`, data: { deleted } }
  },
})

export const restoreLink = tool({
  name: 'restore_link',
  title: 'Restore a link, or undo changes',
  description:
    'Without version: bring back a deleted link, with its clicks. With version: make an earlier ' +
    'version of a link its newest one, which undoes all changes after it; get_history lists the ' +
    'versions. To undo the creation of a link, use delete_link.',
  scopes: ['links:write'],
  effect: 'changes',
  input: {
    link: LINK,
    version: whole('The version whose state to restore, from get_history.', 2 ** 31),
  },
  output: LINK_OUTPUT,
  async run(call, { link: name, version }) {
    const path = `/links/${await idEvenIfDeleted(call, name)}/restore`
    const json = version === undefined ? {} : { version }
    return toResult(await jsonOf<Link>(call('POST', path, { json })), 'Restored')
  },
})

/** The id of a link; a slug or short URL may be that of a deleted link. */
export async function idEvenIfDeleted(call: Call, name: string): Promise<string> {
  try {
    return await linkId(call, name)
  } catch (error) {
    if (!(error instanceof CallFailure) || error.failure.code !== 'LINK_NOT_FOUND') throw error
    const bare = name.trim().replace(/^\/+/, '').toLowerCase()
    for (let n = 0, cursor: string | undefined; n < DELETED_PAGES; n++) {
      const query = { limit: 100, cursor }
      const page = await get<DeletedLinkList>(call, '/links/deleted', query)
      const found = page.data.find((link) =>
        [link.slug, link.short_url].some((one) => one.toLowerCase() === bare),
      )
      if (found !== undefined) return found.id
      cursor = page.pagination.next_cursor ?? undefined
      if (cursor === undefined) break
    }
    throw error
  }
}
