import { z } from '@hono/zod-openapi'
import type { DeletedLinkList, HistoryPage, LinkList } from '../links/schemas.ts'
import { type Call, get, refusal } from './call.ts'
import { LINK } from './find.ts'
import { flag, text, tool, whole } from './tool.ts'
import { idEvenIfDeleted } from './write-links.ts'

/** Links whose history is read when no link is named; each takes a request. */
const LINKS_MAX = 20

type Change = HistoryPage['data'][number] & { link_id: string; short_url: string }

export const getHistory = tool({
  name: 'get_history',
  title: 'History of changes',
  description:
    'Who changed what and when, newest first: of one link, or of the links that were changed or ' +
    `deleted last (at most ${LINKS_MAX} of each). To undo a change of version N, call restore_link with ` +
    'version N-1; to undo link.created, call delete_link; to undo link.deleted, call restore_link ' +
    'without version.',
  scopes: ['links:read'],
  effect: 'reads',
  input: {
    link: LINK.optional(),
    since: text('Only changes at this time or later (RFC 3339).', 64),
    only_mine: flag('Only changes made with this API key.'),
    limit: whole('How many changes to return. Default: 50.', 100),
  },
  output: {
    changes: z.array(
      z.looseObject({
        link_id: z.string(),
        short_url: z.string(),
        action: z.string(),
        created_at: z.string(),
        version: z.number().describe('The version since this change'),
      }),
    ),
    is_complete: z.boolean().describe('False: there may be further changes'),
  },
  async run(call, { link, since, only_mine, limit = 50 }) {
    const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
    if (Number.isNaN(from)) {
      throw refusal('VALIDATION_FAILED', 'since must be a time like 2026-05-04T09:00:00Z.')
    }
    const me = only_mine && (await get<{ key: { id: string } }>(call, '/me')).key.id
    const named = link && { id: await idEvenIfDeleted(call, link), short_url: link }
    const { links, areAll } = named ? { links: [named], areAll: true } : await changed(call, from)
    let isComplete = areAll
    let changes: Change[] = []
    for (const { id, short_url } of links) {
      const { data, pagination } = await get<HistoryPage>(call, `/links/${id}/history`, {
        limit: 100,
      })
      const since = data.filter(({ created_at }) => Date.parse(created_at) >= from)
      if (pagination.has_more && since.length === data.length) isComplete = false
      const wanted = since.filter(({ actor }) => !me || actor.id === me)
      const all = [...changes, ...wanted.map((entry) => ({ link_id: id, short_url, ...entry }))]
      all.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      // Not all at the end: forty links may have hundreds of megabytes of changes.
      changes = all.slice(0, limit)
      if (all.length > limit) isComplete = false
    }
    const more = isComplete ? '' : ', and there may be more'
    return { text: `${changes.length} changes${more}.`, data: { changes, is_complete: isComplete } }
  },
})

/** The links that were changed or deleted since then, the last ones of each. */
async function changed(call: Call, from: number) {
  const query = { sort: 'updated_at', archived: 'any', limit: LINKS_MAX }
  const links = await get<LinkList>(call, '/links', query)
  const deleted = await get<DeletedLinkList>(call, '/links/deleted', { limit: LINKS_MAX })
  const recent = links.data.filter(({ updated_at }) => Date.parse(updated_at) >= from)
  const gone = deleted.data.filter(({ deleted_at }) => Date.parse(deleted_at) >= from)
  const areAll = recent.length < LINKS_MAX && gone.length < LINKS_MAX
  return { links: [...recent, ...gone], areAll }
}
