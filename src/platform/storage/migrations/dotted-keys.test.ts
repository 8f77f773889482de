import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Storage } from '../storage.ts'
import { openTestStorage, testDialect } from '../testing/database.ts'
import { foldDottedKeys, readDottedKeys } from './dotted-keys.ts'

let dir: string
let storage: Storage
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'slugline-dotted-'))
  storage = await openTestStorage(dir)
})
afterEach(async () => {
  await storage.close()
  await rm(dir, { recursive: true, force: true })
})

test('names of an earlier version are folded anew, and tags that become the same merged', async () => {
  const times = { created_at: 1, updated_at: 1, version: 1 }
  const tag = (no: number, key: string, workspace_no = 1, merged_into: number | null = null) => ({
    workspace_no,
    no,
    id: `tag_${workspace_no}_${no}`,
    key,
    name: `${key} ${no}`,
    search_text: key,
    colour: 'red',
    merged_into,
    ...times,
  })
  const template = (id: string, name_key: string) => ({
    id,
    workspace_no: 1,
    name: id,
    name_key,
    ...times,
    source: null,
    medium: null,
    campaign: null,
    term: null,
    content: null,
  })
  const slug = (slug_key: string) => ({
    slug_key,
    slug: slug_key,
    domain_no: 0,
    workspace_no: 1,
    link_seq: null,
    target_url: null,
    redirect_status: 302,
    special: 0 as const,
  })
  const dotted = 'i\u0307zmir'
  await storage.write(async (tx) => {
    await sql`DROP INDEX slugs_dotted`.execute(tx.db)
    const tags = [tag(1, 'izmir'), tag(2, dotted), tag(3, dotted, 1, 2), tag(1, dotted, 2)]
    await tx.db
      .insertInto('tags')
      .values([...tags, tag(4, 'ȯ')])
      .execute()
    const templates = [template('a', dotted), template('b', 'i\u0307'), template('c', 'i')]
    await tx.db.insertInto('utm_templates').values(templates).execute()
    await tx.db
      .insertInto('views')
      .values({
        ...times,
        id: 'v',
        workspace_no: 1,
        user_id: null,
        shared: 1,
        name: 'v',
        name_key: dotted,
        shown: '{}',
      })
      .execute()
    await tx.db.insertInto('slugs').values(['izmir', dotted, 'x'].map(slug)).execute()
    await foldDottedKeys(tx.db as never, testDialect)
  })
  const { db } = storage.read
  const tags = db.selectFrom('tags').select(['workspace_no', 'no', 'key', 'name', 'merged_into'])
  expect(await tags.orderBy('workspace_no').orderBy('no').execute()).toEqual([
    { workspace_no: 1, no: 1, key: 'izmir', name: 'izmir 1', merged_into: null },
    { workspace_no: 1, no: 2, key: 'izmir', name: 'izmir 1', merged_into: 1 },
    { workspace_no: 1, no: 3, key: 'izmir', name: 'izmir 1', merged_into: 1 },
    { workspace_no: 1, no: 4, key: 'ȯ', name: 'ȯ 4', merged_into: null },
    { workspace_no: 2, no: 1, key: 'izmir', name: `${dotted} 1`, merged_into: null },
  ])
  const templates = db.selectFrom('utm_templates').select(['id', 'name_key']).orderBy('id')
  expect((await templates.execute()).map(({ name_key }) => name_key)).toEqual([
    'izmir',
    'i\u0307',
    'i',
  ])
  expect((await db.selectFrom('views').select('name_key').execute())[0]?.name_key).toBe('izmir')
  expect(await readDottedKeys(storage.read)).toEqual([dotted])
})
