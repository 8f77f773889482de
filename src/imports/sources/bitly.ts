import { listIn, type Source, textAt } from './types.ts'

/** Which groups are still to be read, and from where the first one is. */
interface Position {
  groups: string[]
  after: string | null
}

/** `GET /v4/groups/{guid}/bitlinks` of each group: https://dev.bitly.com/api-reference, v4. */
export const bitly: Source = {
  baseUrl: 'https://api-ssl.bitly.com',
  async page(ask, token, cursor) {
    const headers = { Authorization: `Bearer ${token}` }
    let position: Position
    if (cursor === null) {
      const groups = listIn(await ask('/v4/groups', {}, headers), 'groups')
      position = { groups: groups.map(({ guid }) => String(guid)), after: null }
    } else {
      position = JSON.parse(cursor) as Position
    }
    const [group, ...others] = position.groups
    if (group === undefined) return { records: [], next: null }
    const query = {
      size: '100',
      archived: 'both',
      ...(position.after !== null && { search_after: position.after }),
    }
    const path = `/v4/groups/${encodeURIComponent(group)}/bitlinks`
    const answer = await ask(path, query, headers)
    const records = listIn(answer, 'links')
    const after = records.length === 0 ? null : textAt(answer, 'pagination', 'search_after')
    const next: Position =
      after === null ? { groups: others, after: null } : { groups: position.groups, after }
    return { records, next: next.groups.length > 0 ? JSON.stringify(next) : null }
  },
}
