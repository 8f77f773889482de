import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { click } from './testing/naive.ts'
import { createTestStatistics, linkId, type TestStatistics } from './testing/statistics.ts'

const NOW = Date.parse('2026-06-15T12:00:00Z')
/** A key whose person doesn't see the folder `fld_secret`. */
const GUEST = { headers: { Authorization: 'Bearer guest' } }

let its: TestStatistics
beforeAll(async () => {
  its = await createTestStatistics()
  its.clock.ms = NOW
  await its.storage.write(({ db }) =>
    db
      .insertInto('folders')
      .values(
        [
          { id: 'fld_open', merged_into: null },
          { id: 'fld_secret', merged_into: null },
          // Its links are in `fld_open` since it was deleted.
          { id: 'fld_moved', merged_into: 'fld_open' },
        ].map((folder) => ({
          ...folder,
          ...{
            workspace_no: 1,
            name: folder.id,
            name_key: folder.id,
            access: 'workspace' as const,
          },
          created_at: 0,
          updated_at: 0,
          version: 1,
        })),
      )
      .execute(),
  )
  const links = [
    await its.link(1, { tags: ['t'], folder: 'fld_open' }),
    await its.link(2, { tags: ['t'], folder: 'fld_secret' }),
    await its.link(3),
    await its.link(4, { folder: 'fld_moved' }),
    await its.link(5, { folder: 'fld_secret' }),
  ]
  await its.removeLink(5)
  // As many clicks as its number says, so that each sum tells which links are in it.
  links.forEach((linkSeq, i) => {
    for (let n = 0; n < 10 ** i; n++) {
      if (i < 3 || n < 10 * i)
        its.reports.add(click({ linkSeq, time: NOW - 1_000, n: i * 1_000 + n }))
    }
  })
})
afterAll(() => its.close())
afterEach(() => its.statistics.endStreams())

const CLICKS = { one: 1, two: 10, three: 100, four: 30, five: 40 }
const { one, two, three, four, five } = CLICKS

async function clicks(query: string, init: object = {}): Promise<number> {
  const answer = await its.send('GET', `/api/v1/stats${query}`, init)
  const data = (await answer.json()) as { totals: { clicks: number } }
  return data.totals.clicks
}

describe('imported clicks of a report', () => {
  const imported = async (path: string, init: object = {}) => {
    const answer = await its.send('GET', `/api/v1${path}`, init)
    return ((await answer.json()) as { imported_clicks: number | null }).imported_clicks
  }

  test('are those of its links now, whatever the range', async () => {
    // Set here, so that they are no part of the other sums.
    await its.storage.write(({ db }) =>
      db
        .updateTable('links')
        .set(({ ref }) => ({ imported_clicks: ref('seq') }))
        .execute(),
    )
    const rows = await its.storage.read.db.selectFrom('links').select(['id', 'seq']).execute()
    const of = (...numbers: number[]) =>
      numbers.reduce((sum, n) => sum + (rows.find(({ id }) => id === linkId(n))?.seq ?? 0), 0)
    expect(await imported('/stats')).toBe(of(1, 2, 3, 4))
    expect(await imported('/stats?from=2026-01-01&to=2026-01-02')).toBe(of(1, 2, 3, 4))
    expect(await imported('/stats?tag=t')).toBe(of(1, 2))
    expect(await imported('/stats?tag=none')).toBe(0)
    expect(await imported('/stats?folder_id=fld_open')).toBe(of(1, 4))
    expect(await imported('/stats?folder_id=fld_open&tag=t')).toBe(of(1))
    expect(await imported(`/links/${linkId(3)}/stats`)).toBe(of(3))
    // Without hidden links.
    expect(await imported('/stats', GUEST)).toBe(of(1, 3, 4))
    expect(await imported('/stats?tag=t', GUEST)).toBe(of(1))
  })

  test('are unknown of a part of the clicks', async () => {
    for (const filter of ['country=DE', 'not_country=DE', 'bots=only', 'domain=s.example']) {
      expect(await imported(`/stats?${filter}`)).toBeNull()
    }
    expect(await imported('/stats?bots=include')).not.toBeNull()
  })
})

describe('the folder of a report', () => {
  test('is that of its links now, with what was moved into it', async () => {
    expect(await clicks('')).toBe(one + two + three + four + five)
    expect(await clicks('?folder_id=fld_open')).toBe(one + four)
    expect(await clicks('?folder_id=fld_open&tag=t')).toBe(one)
    expect(await clicks('?folder_id=fld_secret')).toBe(two)
  })

  test.each(['fld_none', 'fld_moved'])('%s is none', async (id) => {
    expect(await clicks(`?folder_id=${id}`)).toBe(0)
  })
})

describe('a person who can’t see a folder', () => {
  test('gets no click of its links, deleted ones included', async () => {
    expect(await clicks('', GUEST)).toBe(one + three + four)
    expect(await clicks('?tag=t', GUEST)).toBe(one)
    const top = await its.send('GET', '/api/v1/stats/link', GUEST)
    const { data } = (await top.json()) as { data: { value: string }[] }
    expect(data.map(({ value }) => value).sort()).toEqual([linkId(1), linkId(3), linkId(4)])
    const listed = await its.send('GET', '/api/v1/clicks?limit=100', GUEST)
    const { data: seen } = (await listed.json()) as { data: { link_id: string }[] }
    expect(new Set(seen.map(({ link_id }) => link_id)).has(linkId(2))).toBe(false)
    expect(new Set(seen.map(({ link_id }) => link_id)).has(linkId(5))).toBe(false)
  })

  test.each([
    [`/links/${linkId(2)}/stats`, 'LINK_NOT_FOUND'],
    [`/links/${linkId(2)}/stats/country`, 'LINK_NOT_FOUND'],
    [`/links/${linkId(2)}/clicks`, 'LINK_NOT_FOUND'],
    [`/links/${linkId(2)}/clicks.csv`, 'LINK_NOT_FOUND'],
  ])('GET %s is answered as if there were none', async (path, code) => {
    const answer = await its.send('GET', `/api/v1${path}`, GUEST)
    const { error } = (await answer.json()) as { error: { code: string } }
    expect([answer.status, error.code]).toEqual([404, code])
  })

  test.each([`?link_id=${linkId(2)}`, `?link_id=${linkId(5)}`, '?folder_id=fld_secret'])(
    'finds nothing with %s',
    async (filter) => {
      expect(await clicks(filter, GUEST)).toBe(0)
    },
  )

  test('gets no sparklines of its links', async () => {
    const ids = [linkId(1), linkId(2), linkId(5)].join(',')
    const answer = await its.send('GET', `/api/v1/links/sparklines?ids=${ids}`, GUEST)
    const data = (await answer.json()) as object
    expect(Object.keys(data)).toEqual([linkId(1)])
  })

  test('is streamed no click of its links, also after a link was moved there', async () => {
    const stream = async (path: string, init: object) => {
      const body = (await its.send('GET', `/api/v1/clicks/stream${path}`, init)).body
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      return async () => {
        for (;;) {
          const [event] = text.match(/^data: .*$/m) ?? []
          if (event !== undefined) {
            text = text.slice(text.indexOf(event) + event.length)
            return (JSON.parse(event.slice(6)) as { link_id: string }).link_id
          }
          const { done, value = '' } = (await reader?.read()) ?? { done: true }
          if (done) return null
          text += value
        }
      }
    }
    const next = await stream('', GUEST)
    const inOpen = await stream('?folder_id=fld_open', {})
    const visit = (n: number) => {
      its.clock.ms += 1
      const linkSeq = 2 ** 32 + n
      its.reports.add(click({ linkSeq, time: its.clock.ms }))
    }
    visit(2)
    visit(3)
    expect(await next()).toBe(linkId(3))
    await its.storage.write(({ db }) =>
      db
        .updateTable('links')
        .set({ folder_id: 'fld_secret' })
        .where('id', '=', linkId(3))
        .execute(),
    )
    visit(3)
    visit(4)
    expect(await next()).toBe(linkId(4))
    expect(await inOpen()).toBe(linkId(4))
  })

  test('is streamed no click by its own filter, like one that doesn’t exist', async () => {
    const missing = `lnk_${'0'.repeat(26)}`
    const filters = ['folder_id=fld_secret', 'folder_id=fld_none'].concat(
      [linkId(2), missing].map((id) => `link_id=${id}`),
    )
    const open = (query: string) => its.send('GET', `/api/v1/clicks/stream?${query}`, GUEST)
    const answers = await Promise.all(filters.map(open))
    expect(answers.map(({ status }) => status)).toEqual(filters.map(() => 200))
    const texts = answers.map((answer) => answer.text())
    const seen = (await open('')).body?.pipeThrough(new TextDecoderStream()).getReader()
    for (const n of [2, 1]) {
      its.clock.ms += 1
      its.reports.add(click({ linkSeq: 2 ** 32 + n, time: its.clock.ms }))
    }
    let text = ''
    while (!text.includes(linkId(1))) text += (await seen?.read())?.value ?? ''
    its.statistics.endStreams()
    expect((await Promise.all(texts)).filter((each) => each.includes('data:'))).toEqual([])
  })
})
