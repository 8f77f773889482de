import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { validate } from '../../http/index.ts'
import { type Actor, COMMAND_LINE } from '../audit/index.ts'
import type { LinkWriter } from './context.ts'
import { createLinkSchemas } from './fields.ts'
import { createListQuerySchema, listQueryOf } from './list-query.ts'
import { createTestLinks, type TestLinks } from './testing/links.ts'

const limits = { links: null, addresses: null }
const USER: Actor = { type: 'user', id: 'usr_1', name: 'ada@example.com', requestId: null }
const keyActor = (id: string): Actor => ({ type: 'api_key', id, name: 'Old', requestId: null })
const by = (actor: Actor): LinkWriter => ({ workspace: { no: 1, plan: { limits } }, actor })

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
  await links.storage.write(async ({ db }) => {
    const email = { email: 'ada@example.com', email_key: 'ada@example.com' }
    const user = { ...email, created_at: 0, updated_at: 0, email_verified: 1 }
    await db
      .insertInto('users')
      .values({ id: 'usr_1', name: 'Ada', language: null, ...user })
      .execute()
    const key = { hash: '', workspace_no: 1, scopes: '', created_by: 'usr_1', created_at: 0 }
    const unused = { expires_at: null, revoked_at: null, last_used_at: null }
    await db
      .insertInto('api_keys')
      .values([
        { id: 'key_1', prefix: 'a', name: 'Old', rotated_from: null, ...key, ...unused },
        { id: 'key_2', prefix: 'b', name: 'New', rotated_from: 'key_1', ...key, ...unused },
      ])
      .execute()
  })
})
afterEach(() => links.close())

let made = 0
async function create(actor: Actor, body: object = {}) {
  const { service, storage } = links
  const all = { destination_url: `https://example.com/${++made}`, ...body }
  const fields = validate(createLinkSchemas(service.rules).create, all)
  const prepared = await service.prepareCreate(by(actor), fields)
  return storage.write((tx) => service.create(tx, by(actor), prepared), { workspaceNo: 1 })
}

async function slugsOf(query: Record<string, string>, actor: Actor = COMMAND_LINE) {
  const { service } = links
  const asked = listQueryOf(validate(createListQuerySchema(service.rules), query))
  const { data, pagination } = await service.list(by(actor), asked)
  expect(pagination.total).toBe(data.length)
  return data.map(({ slug }) => slug).sort()
}

const get = async (id: string) => links.service.get(by(COMMAND_LINE), id)

describe('who made a link', () => {
  test('is the person, key or command line, by the current name', async () => {
    const mine = await create(USER)
    expect(mine.created_by).toEqual({ type: 'user', id: 'usr_1', name: 'Ada' })
    const programs = await create(keyActor('key_1'))
    expect(programs.created_by).toEqual({ type: 'api_key', id: 'key_1', name: 'Old' })
    const { created_by } = await create(COMMAND_LINE)
    expect(created_by).toEqual({ type: 'command', id: null, name: 'command line' })

    await links.storage.write(async ({ db }) => {
      await db.updateTable('users').set({ name: 'Grace' }).where('id', '=', 'usr_1').execute()
      await db.updateTable('api_keys').set({ name: 'Renamed' }).where('id', '=', 'key_1').execute()
    })
    expect((await get(mine.id)).created_by?.name).toBe('Grace')
    expect((await get(programs.id)).created_by?.name).toBe('Renamed')
    const { data } = await links.list()
    expect(data.find(({ id }) => id === mine.id)?.created_by?.name).toBe('Grace')
  })

  test('leaves no name behind when the person is erased, not even in a deleted link', async () => {
    const { id } = await create(USER)
    await links.remove(id)
    const stored = await links.storage.read.db.selectFrom('deleted_links').select('row').execute()
    expect(stored[0]?.row).not.toContain('Ada')
    await links.storage.write(async ({ db }) => {
      await db.deleteFrom('users').where('id', '=', 'usr_1').execute()
    })
    const restored = await links.restore(id)
    expect(restored.created_by).toEqual({ type: 'user', id: 'usr_1', name: 'usr_1' })
    const entries = await links.storage.read.db.selectFrom('audit').select('after').execute()
    expect(JSON.stringify(entries)).not.toContain('Ada')
  })

  test('stays through changes, deletion and restore by others', async () => {
    const { id } = await create(USER)
    const made = { type: 'user', id: 'usr_1', name: 'Ada' } as const
    expect((await links.patch(id, { title: 'T' })).created_by).toEqual(made)
    await links.remove(id)
    expect((await links.restore(id)).created_by).toEqual(made)
    expect((await links.restore(id, { version: 1 })).created_by).toEqual(made)
    expect((await get(id)).created_by).toEqual(made)
  })

  test('is unknown of links of earlier versions, and of those that were deleted', async () => {
    const { id } = await create(USER)
    await links.storage.write(({ db }) =>
      db.updateTable('links').set({ created_by: null }).execute(),
    )
    expect((await get(id)).created_by).toBeNull()
    await links.remove(id)
    await links.storage.write(async ({ db }) => {
      const { row } = await db.selectFrom('deleted_links').select('row').executeTakeFirstOrThrow()
      const { created_by: _, ...old } = JSON.parse(row)
      await db
        .updateTable('deleted_links')
        .set({ row: JSON.stringify(old) })
        .execute()
    })
    expect((await links.restore(id)).created_by).toBeNull()
  })

  test("isn't compared by find or create", async () => {
    const mine = await create(USER, { destination_url: 'https://example.com/same' })
    const { service, storage } = links
    const body = { destination_url: 'https://example.com/same' }
    const fields = validate(createLinkSchemas(service.rules).create, body)
    const other = by(keyActor('key_1'))
    const prepared = await service.prepareCreate(other, fields, 'return')
    const { link, isNew } = await storage.write(
      (tx) => service.findOrCreate(tx, other, prepared, 'return'),
      { workspaceNo: 1 },
    )
    expect(isNew).toBe(false)
    expect(link.created_by).toEqual(mine.created_by)
  })
})

describe('the filter by creator', () => {
  beforeEach(async () => {
    await create(USER, { slug: 'person' })
    await create(keyActor('key_1'), { slug: 'old-key' })
    await create(keyActor('key_2'), { slug: 'new-key' })
    await create(COMMAND_LINE, { slug: 'command' })
  })

  test('takes an id; a key goes on for the one that it was rotated from', async () => {
    expect(await slugsOf({ created_by: 'usr_1' })).toEqual(['person'])
    expect(await slugsOf({ created_by: 'key_1' })).toEqual(['old-key'])
    expect(await slugsOf({ created_by: 'key_2' })).toEqual(['new-key', 'old-key'])
    expect(await slugsOf({ created_by: 'command' })).toEqual(['command'])
    expect(await slugsOf({ created_by: 'usr_unknown' })).toEqual([])
    expect(await slugsOf({ created_by: 'usr_1', search: 'key' })).toEqual([])
    expect(await slugsOf({ created_by: 'key_2', sort: 'slug' })).toEqual(['new-key', 'old-key'])
  })

  test('`me` is the caller, of a key not the person who made it', async () => {
    expect(await slugsOf({ created_by: 'me' }, USER)).toEqual(['person'])
    expect(await slugsOf({ created_by: 'me' }, keyActor('key_2'))).toEqual(['new-key', 'old-key'])
    expect(await slugsOf({ created_by: 'me' })).toEqual(['command'])
  })

  test('refuses anything else', () => {
    for (const created_by of ['', 'Ada', 'lnk_1', 'usr_', 'usr_1%']) {
      expect(() => validate(createListQuerySchema(links.service.rules), { created_by })).toThrow()
    }
  })
})
