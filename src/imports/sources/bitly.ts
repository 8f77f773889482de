import { listIn, pageOfPlaces, type Source, textAt } from './types.ts'

/** `GET /v4/groups/{guid}/bitlinks` of each group: https://dev.bitly.com/api-reference, v4. */
export const bitly: Source = {
  baseUrl: 'https://api-ssl.bitly.com',
  page(ask, token, cursor) {
    const headers = { Authorization: `Bearer ${token}` }
    const groups = async () =>
      listIn(await ask('/v4/groups', {}, headers), 'groups').map(({ guid }) => String(guid))
    return pageOfPlaces(cursor, groups, async (group, after) => {
      const path = `/v4/groups/${encodeURIComponent(group)}/bitlinks`
      const query = {
        size: '100',
        archived: 'both',
        ...(after !== null && { search_after: after }),
      }
      const answer = await ask(path, query, headers)
      const records = listIn(answer, 'links')
      const next = records.length === 0 ? null : textAt(answer, 'pagination', 'search_after')
      return { records, after: next }
    })
  },
}
