import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { CompiledQuery } from 'kysely'
import { createCursors } from '../../http/cursor.ts'
import { createTestImports, type ShownJob, type TestImports } from '../imports/testing/site.ts'
import { recordChange } from './record.ts'
import { type AuditEntry, createAuditService } from './service.ts'
import { newestEntries, SEARCHED } from './store.ts'
import { COMMAND_LINE } from './types.ts'

const RECORDS = 250

let site: TestImports
let audit: ReturnType<typeof createAuditService>
let job: ShownJob
beforeAll(async () => {
  site = await createTestImports()
  audit = createAuditService({ storage: site.storage, cursors: createCursors('secret') })
  await site.send('POST', '/api/v1/links', { body: { destination_url: 'https://a.example/' } })
  const lines = Array.from({ length: RECORDS }, (_, i) => `https://example.com/${i},slug-${i}`)
  const text = ['Long URL,Slug', ...lines, ''].join('\n')
  job = await site.finished(await site.upload(text, 'csv', 'file_name=spring.csv'))
  await site.send('POST', '/api/v1/links', { body: { destination_url: 'https://b.example/' } })
})
afterAll(() => site.close())

type Filter = Omit<Parameters<typeof audit.list>[0], 'workspaceNo'>

/** All entries of a list, page by page. */
async function all(filter: Filter, limit = 100): Promise<AuditEntry[]> {
  const found: AuditEntry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await audit.list({ workspaceNo: 1, ...filter }, { limit, cursor })
    found.push(...page.data)
    if (page.pagination.next_cursor === null) return found
    cursor = page.pagination.next_cursor
  }
}
const actions = (entries: AuditEntry[]) => entries.map(({ action }) => action)

describe('the changes of a job', () => {
  test('are listed under its entry', async () => {
    const grouped = await all({ grouped: true })
    expect(actions(grouped)).toEqual(['link.created', 'job.created', 'link.created'])
    const [, leader] = grouped
    expect(leader).toMatchObject({
      target: { id: job.id },
      after: { name: 'spring.csv' },
      group: null,
      // With its end.
      changes: RECORDS + 1,
    })
    const number = Number(leader?.id.slice('aud_'.length))
    const changes = await all({ group: number })
    expect(changes).toHaveLength(RECORDS + 1)
    const finished = { action: 'import.finished', after: { name: 'spring.csv' } }
    expect(changes[0]).toMatchObject(finished)
    expect(changes.every(({ group }) => group === leader?.id)).toBe(true)
    // Also page by page.
    expect(await all({ group: number }, 7)).toEqual(changes)
    expect(await all({ grouped: true }, 1)).toEqual(grouped)
    // Nothing is left out without it.
    expect(await all({})).toHaveLength(RECORDS + 4)
  })

  test('are listed under it with a filter by person or kind, and by themselves for one action', async () => {
    const kind = { grouped: true, action: ['link', 'job', 'import'] }
    expect(actions(await all(kind, 2))).toEqual(['link.created', 'job.created', 'link.created'])
    const actor = (await all({ grouped: true }))[1]?.actor.id ?? ''
    expect(actions(await all({ grouped: true, actor }))).toContain('job.created')
    expect(await all({ action: ['link.created'] })).toHaveLength(RECORDS + 2)
    expect(await all({ action: ['tag'] })).toEqual([])
    expect(await all({ action: ['nothing'] })).toEqual([])
    expect(await all({ actor: 'system' })).toEqual([])
  })

  test('are events like others', async () => {
    const rows = await site.storage.read.db
      .selectFrom('audit')
      .select('sequence')
      .where('sequence', 'is not', null)
      .orderBy('seq')
      .execute()
    const numbers = rows.map(({ sequence }) => Number(sequence))
    expect(numbers).toEqual(Array.from({ length: RECORDS + 3 }, (_, i) => i + 1))
  })

  test('of an undo are under the entry of the undo', async () => {
    const undone = await site.finished(await site.send('POST', `/api/v1/imports/${job.id}/undo`))
    const [leader] = await all({ grouped: true })
    expect(leader).toMatchObject({ target: { id: undone.id }, changes: RECORDS + 1 })
  })
})

describe('a search', () => {
  test('finds names and ids of objects and people, any case and as text', async () => {
    expect(actions(await all({ search: 'slug-249' }))).toEqual(['link.deleted', 'link.created'])
    expect((await all({ search: job.id })).length).toBe(2)
    const [{ actor } = { actor: { name: '' } }] = await all({})
    expect((await all({ search: actor.name.toLowerCase() })).length).toBeGreaterThan(RECORDS)
    expect(await all({ search: 'slug_249' })).toEqual([])
    expect(await all({ search: '%' })).toEqual([])
    expect(actions(await all({ search: 'slug-249', action: ['link.created'] }))).toEqual([
      'link.created',
    ])
  })

  test('reads some thousand entries at a time, and goes on', async () => {
    const target = { type: 'tag', id: 'tag_1', label: 'haystack' } as const
    for (let done = 0; done < SEARCHED + 10; done += 500) {
      await site.storage.write(async (tx) => {
        for (let i = 0; i < 500; i++) {
          const change = { workspaceNo: 1, at: 1, action: 'tag.updated', target } as const
          await recordChange(tx, COMMAND_LINE, change)
        }
      })
    }
    const page = await audit.list({ workspaceNo: 1, search: 'slug-249' }, { limit: 100 })
    expect(page.data).toEqual([])
    expect(page.pagination.has_more).toBe(true)
    expect(actions(await all({ search: 'slug-249' }))).toEqual(['link.deleted', 'link.created'])
    expect((await all({ search: 'haystack' })).length).toBeGreaterThan(SEARCHED)
  }, 60_000)
})

// The last one: SQLite's plans leave a transaction open.
test('the changes of jobs are left out by an index, with every filter', async () => {
  const { read: reports } = site.storage
  if (reports.dialect !== 'sqlite') return
  const plans: string[] = []
  const log = (text: string, parameters: readonly unknown[]) =>
    reports.db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`EXPLAIN QUERY PLAN ${text}`, [...parameters]),
    )
  for (const more of [{}, { actor: 'usr_1' }, { action: ['link'] }]) {
    const filter = { workspaceNo: 1, grouped: true, ...more }
    const { sql, parameters } = newestEntries(reports, filter, null, 5).compile()
    const { rows } = await log(sql, parameters)
    plans.push(...rows.map(({ detail }) => detail).filter((detail) => /SEARCH/.test(detail)))
  }
  expect(plans.length).toBeGreaterThan(3)
  for (const plan of plans) expect(plan).toMatch(/INDEX audit_(?:\w+_)?group .*group_seq=/)
})
