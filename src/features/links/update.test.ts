import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { StorageUnavailable } from '../../platform/storage/index.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { expectConsistent, slugRow } from './testing/tables.ts'

const URL_A = 'https://a.example/'
const URL_B = 'https://b.example/x?y=1#z'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(() => links.close())

describe('changing', () => {
  test('merges: absent fields stay, null clears, others are replaced', async () => {
    const { id } = await links.create({
      destination_url: URL_A,
      title: 'T',
      notes: 'N',
      tags: ['a', 'b'],
      external_id: 'e',
      expires_at: '2099-01-01T00:00:00Z',
      password: 'p',
      fallback_url: URL_B,
    })
    links.clock.ms += 1000
    const link = await links.patch(id, {
      title: null,
      tags: ['c'],
      expires_at: null,
      password: null,
      fallback_url: null,
      destination_url: URL_B,
      redirect_status: 307,
    })
    expect(link).toMatchObject({
      destination_url: URL_B,
      title: null,
      notes: 'N',
      tags: ['c'],
      external_id: 'e',
      expires_at: null,
      has_password: false,
      fallback_url: null,
      redirect_status: 307,
      updated_at: new Date(links.clock.ms).toISOString(),
      version: 2,
    })
    expect(await slugRow(links, link.slug)).toMatchObject({
      target_url: URL_B,
      special: 0,
      redirect_status: 307,
    })
    await expectConsistent(links)
  })

  test('never dates a change before the one before it', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    links.clock.ms += 60_000
    const { updated_at } = await links.patch(id, { title: 'A' })
    links.clock.ms -= 30_000
    expect((await links.patch(id, { title: 'B' })).updated_at).toBe(updated_at)
  })

  test('without effect changes nothing', async () => {
    const before = await links.create({ destination_url: URL_A, slug: 'Abc', tags: ['x'] })
    links.clock.ms += 1000
    expect(await links.patch(before.id, {})).toEqual(before)
    expect(
      await links.patch(before.id, { slug: 'Abc', tags: ['x'], title: null, enabled: true }),
    ).toEqual(before)
  })

  test('can’t clear required fields', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    for (const field of ['destination_url', 'slug']) {
      expect(await refusal(links.patch(id, { [field]: null }))).toEqual([
        'VALIDATION_FAILED',
        `${field}: INVALID_TYPE`,
      ])
    }
    expect(await refusal(links.patch(id, { id: 'lnk_x', clicks: 1 }))).toEqual([
      'VALIDATION_FAILED',
      'id: UNKNOWN_FIELD',
      'clicks: UNKNOWN_FIELD',
    ])
  })

  test('of the slug keeps the old one as an alias, until it is removed', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'One' })
    expect(await links.patch(id, { slug: 'Two' })).toMatchObject({ slug: 'Two', aliases: ['One'] })
    expect(await links.patch(id, { slug: 'Three' })).toMatchObject({ aliases: ['One', 'Two'] })
    // Back to an alias of the same link.
    expect(await links.patch(id, { slug: 'one' })).toMatchObject({
      slug: 'one',
      aliases: ['Two', 'Three'],
    })
    await expectConsistent(links)
    expect(await links.patch(id, { aliases: ['three'] })).toMatchObject({ aliases: ['three'] })
    await expectConsistent(links)
    expect(await slugRow(links, 'two')).toMatchObject({ link_seq: null, target_url: null })
    // Held: only its own workspace can take it.
    expect(await refusal(links.create({ destination_url: URL_A, slug: 'two' }, 2))).toEqual([
      'SLUG_TAKEN',
    ])
    await links.create({ destination_url: URL_A, slug: 'TWO' })
    expect(await refusal(links.patch(id, { slug: 'two' }))).toEqual(['SLUG_TAKEN'])
    await expectConsistent(links)
  })

  test('of the case of a slug counts as a change, but makes no alias', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'abc' })
    expect(await links.patch(id, { slug: 'ABC' })).toMatchObject({
      slug: 'ABC',
      aliases: [],
      version: 2,
    })
    await expectConsistent(links)
  })

  test('of slug and aliases together keeps only the given ones', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'a1', aliases: ['a2'] })
    const link = await links.patch(id, { slug: 'a3', aliases: ['a2', 'a3'] })
    expect(link).toMatchObject({ slug: 'a3', aliases: ['a2'] })
    expect(await slugRow(links, 'a1')).toMatchObject({ link_seq: null })
    await expectConsistent(links)
  })

  test('of the domain leaves the old address working', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'x', aliases: ['y'] })
    const moved = await links.patch(id, { domain: 'go.example' })
    expect(moved).toMatchObject({
      domain: 'go.example',
      short_url: 'https://go.example/x',
      aliases: ['s.example/y', 's.example/x'],
    })
    expect(await slugRow(links, 'x', 0)).toMatchObject({ target_url: URL_A })
    await expectConsistent(links)
    // Returned values are valid as input.
    expect(await links.patch(id, { aliases: moved.aliases })).toMatchObject({ version: 2 })
    expect(await links.patch(id, { domain: 's.example' })).toMatchObject({
      aliases: ['y', 'go.example/x'],
    })
    await expectConsistent(links)
    expect(await links.patch(id, { aliases: [] })).toMatchObject({ aliases: [] })
    expect(await slugRow(links, 'x', 1)).toMatchObject({ link_seq: null })
    await expectConsistent(links)
  })

  test('of the slug is refused when the aliases become too many', async () => {
    const aliases = Array.from({ length: 20 }, (_, i) => `alias${i}`)
    const { id } = await links.create({ destination_url: URL_A, slug: 's', aliases })
    expect(await refusal(links.patch(id, { slug: 't' }))).toEqual([
      'VALIDATION_FAILED',
      'slug: ALIASES_FULL',
    ])
    await links.patch(id, { slug: 't', aliases })
    await expectConsistent(links)
  })

  test('compares the end with the stored start', async () => {
    const { id } = await links.create({
      destination_url: URL_A,
      starts_at: '2030-01-01T00:00:00Z',
      expires_at: '2031-01-01T00:00:00Z',
    })
    expect(await refusal(links.patch(id, { expires_at: '2029-01-01T00:00:00Z' }))).toEqual([
      'VALIDATION_FAILED',
      'expires_at: ENDS_BEFORE_START',
    ])
    expect(await refusal(links.patch(id, { starts_at: '2032-01-01T00:00:00Z' }))).toEqual([
      'VALIDATION_FAILED',
      'starts_at: ENDS_BEFORE_START',
    ])
    await links.patch(id, { expires_at: '2029-01-01T00:00:00Z', starts_at: null })
  })

  test('of max_clicks includes earlier visitors', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    await links.count(id, { total: 9, bots: 2, lastClickedAt: links.clock.ms })
    expect(await links.patch(id, { max_clicks: 8 })).toMatchObject({ status: 'active' })
    expect(await links.patch(id, { max_clicks: 7 })).toMatchObject({ status: 'exhausted' })
    expect(await links.patch(id, { max_clicks: null })).toMatchObject({ status: 'active' })
  })

  test('of max_clicks waits for complete counters, and of other fields does not', async () => {
    const incomplete = await createTestLinks({
      assertCountersComplete() {
        throw new StorageUnavailable('incomplete')
      },
    })
    const { id } = await incomplete.create({ destination_url: URL_A })
    await expect(incomplete.patch(id, { max_clicks: 8 })).rejects.toThrow(StorageUnavailable)
    expect(await incomplete.patch(id, { title: 'x' })).toMatchObject({ max_clicks: null })
    await incomplete.close()
  })

  test('takes an external id only if it is free', async () => {
    const { id } = await links.create({ destination_url: URL_A, external_id: 'a' })
    await links.create({ destination_url: URL_A, external_id: 'b' })
    expect(await refusal(links.patch(id, { external_id: 'b' }))).toEqual(['EXTERNAL_ID_TAKEN'])
    await links.patch(id, { external_id: 'a', title: 'x' })
    await links.patch(id, { external_id: null })
    await links.patch(id, { external_id: 'c' })
    await expectConsistent(links)
  })

  test('checks the version, and doesn’t find other workspaces’ links', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    expect(await refusal(links.patch(id, { title: 'x' }, { version: 2 }))).toEqual([
      'PRECONDITION_FAILED',
    ])
    await links.patch(id, { title: 'x' }, { version: 1 })
    expect(await refusal(links.patch(id, {}, { workspaceNo: 2 }))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(links.remove(id, { workspaceNo: 2 }))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(links.patch('lnk_none', {}))).toEqual(['LINK_NOT_FOUND'])
  })

  test('is searchable immediately', async () => {
    const { id } = await links.create({ destination_url: URL_A, title: 'before', tags: ['t1'] })
    await links.patch(id, { title: 'After', tags: ['t2'] })
    expect((await links.list({ search: 'before' })).pagination.total).toBe(0)
    expect((await links.list({ search: 'aFTer' })).data).toMatchObject([{ id }])
    expect((await links.list({ tag: 't1' })).pagination.total).toBe(0)
    expect((await links.list({ tag: 'T2' })).data).toMatchObject([{ id }])
  })
})
