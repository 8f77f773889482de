import type { SourceRecord } from '../formats/index.ts'
import { at, numberAt, type Source, UnexpectedAnswer } from './types.ts'

const PER_PAGE = 100

/** `action=stats`: https://yourls.org/docs/guide/advanced/api, YOURLS 1.10. The token is the signature. */
export const yourls: Source = {
  async page(ask, token, cursor) {
    const start = Number(cursor ?? 0)
    // In a form, because servers log URLs.
    const form = {
      signature: token,
      action: 'stats',
      format: 'json',
      filter: 'last',
      limit: String(PER_PAGE),
      start: String(start),
    }
    const answer = await ask('/yourls-api.php', {}, {}, form)
    const links = at(answer, 'links') ?? {}
    const total = numberAt(answer, 'stats', 'total_links')
    if (typeof links !== 'object' || total === undefined) throw new UnexpectedAnswer()
    const records = Object.values(links) as SourceRecord[]
    const after = start + PER_PAGE
    return { records, next: records.length > 0 && after < total ? String(after) : null, total }
  },
}
