import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AppError } from '../errors/index.ts'
import { setBlocked } from './block.ts'
import { createTestLinks, refusal, type TestLinks } from './test-links.ts'

const URL_A = 'https://a.example/'
const URL_B = 'https://b.example/x?y=1#z'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(() => links.close())

/** What the redirect reads of a slug. */
async function slugRow(key: string, domainNo = 0) {
  const [row] = await links.storage.read.db
    .selectFrom('slugs')
    .selectAll()
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .execute()
  return row
}

/** All that a database says about links, checked for agreement. */
async function expectConsistent(): Promise<void> {
  const { db } = links.storage.read
  const rows = await db.selectFrom('links').selectAll().execute()
  const slugs = await db.selectFrom('slugs').selectAll().where('link_seq', 'is not', null).execute()
  const expected = rows.flatMap((row) => {
    const aliases = (JSON.parse(row.aliases) as string[]).map((alias) => {
      const [slug, no] = alias.split('/').reverse()
      return `${row.seq} ${no ?? row.domain_no}/${slug}`
    })
    return [`${row.seq} ${row.domain_no}/${row.slug}`, ...aliases]
  })
  expect(slugs.map((row) => `${row.link_seq} ${row.domain_no}/${row.slug}`).sort()).toEqual(
    expected.sort(),
  )
  for (const slug of slugs) {
    const row = rows.find(({ seq }) => seq === slug.link_seq)
    expect([slug.target_url, slug.redirect_status]).toEqual([
      row?.target_url ?? '',
      row?.redirect_status ?? 0,
    ])
  }
  const counts = await db.selectFrom('workspaces').select(['no', 'links_count']).execute()
  for (const { no, links_count } of counts) {
    expect(links_count).toBe(rows.filter((row) => row.workspace_no === no).length)
  }
  const tags = await db.selectFrom('link_tags').selectAll().execute()
  expect(tags.map(({ link_seq, tag_key }) => `${link_seq} ${tag_key}`).sort()).toEqual(
    rows
      .flatMap((row) =>
        (JSON.parse(row.tags) as string[]).map((tag) => `${row.seq} ${tag.toLowerCase()}`),
      )
      .sort(),
  )
}

describe('creating', () => {
  test('needs only a destination', async () => {
    const link = await links.create({ destination_url: URL_B })
    expect(link).toEqual({
      id: expect.stringMatching(/^lnk_[0-9a-hjkmnp-tv-z]{26}$/),
      destination_url: URL_B,
      slug: expect.stringMatching(/^[2-9a-hjkmnp-z]{7}$/),
      aliases: [],
      domain: 's.example',
      short_url: `https://s.example/${link.slug}`,
      title: null,
      notes: null,
      tags: [],
      external_id: null,
      enabled: true,
      status: 'active',
      redirect_status: 302,
      forward_query: false,
      starts_at: null,
      expires_at: null,
      max_clicks: null,
      fallback_url: null,
      has_password: false,
      clicks: { total: 0, human: 0, bot: 0, unique: 0 },
      last_clicked_at: null,
      created_at: new Date(links.clock.ms).toISOString(),
      updated_at: new Date(links.clock.ms).toISOString(),
      version: 1,
    })
    expect(
      await links.service.get({ workspace: { no: 1, plan: { limits: { links: null } } } }, link.id),
    ).toEqual(link)
    expect(await slugRow(link.slug)).toMatchObject({ target_url: URL_B, special: 0 })
    await expectConsistent()
  })

  test('takes every writable field', async () => {
    const link = await links.create({
      destination_url: URL_A,
      slug: 'Straße',
      aliases: ['Other', 'go.example/third'],
      domain: 'GO.example',
      title: 'A title',
      notes: 'Line one\nline two',
      tags: ['b', ' A ', 'B', 'ä'],
      external_id: 'x-1',
      enabled: false,
      redirect_status: 308,
      forward_query: true,
      starts_at: '2030-01-01T01:00:00+01:00',
      expires_at: '2031-01-01T00:00:00Z',
      max_clicks: 5,
      fallback_url: 'https://f.example',
      password: 'secret',
    })
    expect(link).toMatchObject({
      slug: 'Straße',
      aliases: ['Other', 'third'],
      domain: 'go.example',
      short_url: 'https://go.example/Stra%C3%9Fe',
      title: 'A title',
      notes: 'Line one\nline two',
      tags: ['A', 'b', 'ä'],
      external_id: 'x-1',
      enabled: false,
      status: 'disabled',
      redirect_status: 308,
      forward_query: true,
      starts_at: '2030-01-01T00:00:00.000Z',
      expires_at: '2031-01-01T00:00:00.000Z',
      max_clicks: 5,
      fallback_url: 'https://f.example',
      has_password: true,
    })
    expect(await slugRow('strasse', 1)).toMatchObject({ special: 1, redirect_status: 308 })
    await expectConsistent()
  })

  test('reports everything that is wrong at once', async () => {
    const faults = await refusal(
      links.create({
        destination_url: 'ftp://a',
        slug: 'API',
        aliases: ['x', 'X', 'a b'],
        tags: ['ok', '', 7],
        title: 'a\nb',
        notes: 'a\0b',
        external_id: '',
        redirect_status: 303,
        max_clicks: 0,
        starts_at: '2030-01-01T00:00:00Z',
        expires_at: '2030-01-01T00:00:00Z',
        fallback_url: 'https://s.example/loop',
        domain: 'nowhere.example',
        password: '',
        enabled: 'yes',
        nonsense: 1,
      }),
    )
    expect(faults.sort()).toEqual(
      [
        'VALIDATION_FAILED',
        'destination_url: URL_SCHEME_NOT_ALLOWED',
        'slug: SLUG_RESERVED',
        'aliases.2: INVALID_SLUG',
        'tags.1: TOO_SHORT',
        'tags.2: INVALID_TYPE',
        'title: INVALID_CHARACTERS',
        'notes: INVALID_CHARACTERS',
        'external_id: TOO_SHORT',
        'redirect_status: INVALID_VALUE',
        'max_clicks: OUT_OF_RANGE',
        'expires_at: ENDS_BEFORE_START',
        'fallback_url: URL_LOOPS_BACK',
        'domain: UNKNOWN_DOMAIN',
        'password: TOO_SHORT',
        'enabled: INVALID_TYPE',
        'nonsense: UNKNOWN_FIELD',
      ].sort(),
    )
    expect(await refusal(links.create({}))).toEqual([
      'VALIDATION_FAILED',
      'destination_url: REQUIRED',
    ])
    expect(await refusal(links.create({ destination_url: URL_A, aliases: ['x', 'X'] }))).toEqual([
      'VALIDATION_FAILED',
      'aliases.1: DUPLICATE_VALUE',
    ])
    const many = Array.from({ length: 21 }, (_, i) => `t${i}`)
    expect(
      await refusal(links.create({ destination_url: URL_A, aliases: many, tags: many })),
    ).toEqual(['VALIDATION_FAILED', 'aliases: TOO_MANY', 'tags: TOO_MANY'])
  })

  test('counts characters, not code units', async () => {
    const title = '😀'.repeat(255)
    expect((await links.create({ destination_url: URL_A, title })).title).toBe(title)
    expect(await refusal(links.create({ destination_url: URL_A, title: `${title}x` }))).toEqual([
      'VALIDATION_FAILED',
      'title: TOO_LONG',
    ])
  })

  test('refuses a slug that is in use, in any case, and offers three free ones', async () => {
    await links.create({ destination_url: URL_A, slug: 'Promo', aliases: ['promo-2'] })
    for (const slug of ['promo', 'PROMO', 'promo-2']) {
      for (const workspaceNo of [1, 2]) {
        const error = await links
          .create({ destination_url: URL_A, slug }, workspaceNo)
          .catch((reason: AppError) => reason)
        if (!(error instanceof AppError)) throw new Error('It was not refused')
        expect(error.code).toBe('SLUG_TAKEN')
        expect(error.suggestions).toHaveLength(3)
        for (const suggestion of error.suggestions ?? []) {
          expect(await slugRow(suggestion.toLowerCase())).toBeUndefined()
        }
      }
    }
    expect(
      await refusal(links.create({ destination_url: URL_A, slug: 'new', aliases: ['PROMO'] })),
    ).toEqual(['SLUG_TAKEN', 'aliases: SLUG_TAKEN'])
    // Nothing of it stays.
    expect(await slugRow('new')).toBeUndefined()
    await expectConsistent()
  })

  test('lets the same slug live on two domains', async () => {
    await links.create({ destination_url: URL_A, slug: 'same' })
    await links.create({ destination_url: URL_A, slug: 'same', domain: 'go.example' })
    await expectConsistent()
  })

  test('takes an external id once in a workspace', async () => {
    await links.create({ destination_url: URL_A, external_id: 'e' })
    expect(await refusal(links.create({ destination_url: URL_A, external_id: 'e' }))).toEqual([
      'VALIDATION_FAILED',
      'external_id: EXTERNAL_ID_TAKEN',
    ])
    await links.create({ destination_url: URL_A, external_id: 'e' }, 2)
    await expectConsistent()
  })

  test('stops at the limit of the plan, exactly, however many come at once', async () => {
    links.setLimit(5)
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => links.create({ destination_url: URL_A })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    const { data } = await links.list()
    await links.remove(data[0]?.id ?? '')
    await links.create({ destination_url: URL_A })
    expect(await refusal(links.create({ destination_url: URL_A }))).toEqual([
      'PLAN_LIMIT_REACHED',
      'links: LINKS_LIMIT',
    ])
    await expectConsistent()
  })

  test('gives a slug to one of many who want it', async () => {
    const forms = ['Käse', 'KÄSE', 'ka\u0308se']
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) =>
        links.create({ destination_url: URL_A, slug: forms[i % 3] }, 1 + (i % 2)),
      ),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('never dates a link before the one before it', async () => {
    const first = await links.create({ destination_url: URL_A })
    links.clock.ms -= 5000
    expect((await links.create({ destination_url: URL_A })).created_at).toBe(first.created_at)
  })

  test('never generates a slug that somebody had', async () => {
    let draws = 0
    const draw = new Uint8Array(64)
    const stubborn = await createTestLinks({
      random: {
        // The same bytes three times, others from then on.
        bytes: (length) => draw.slice(0, length).fill(draws++ < 3 ? 0 : 5),
      },
    })
    const first = await stubborn.create({ destination_url: URL_A })
    await stubborn.remove(first.id)
    const second = await stubborn.create({ destination_url: URL_A })
    expect(first.slug).toBe('2222222')
    expect(second.slug).toBe('7777777')
    await stubborn.close()
  })
})

describe('changing', () => {
  test('merges: absent stays, null clears, the rest is replaced', async () => {
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
    expect(await slugRow(link.slug)).toMatchObject({
      target_url: URL_B,
      special: 0,
      redirect_status: 307,
    })
    await expectConsistent()
  })

  test('without effect changes nothing', async () => {
    const before = await links.create({ destination_url: URL_A, slug: 'Abc', tags: ['x'] })
    links.clock.ms += 1000
    expect(await links.patch(before.id, {})).toEqual(before)
    expect(
      await links.patch(before.id, { slug: 'Abc', tags: ['x'], title: null, enabled: true }),
    ).toEqual(before)
  })

  test('can’t clear what a link must have', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    for (const field of [
      'destination_url',
      'slug',
      'aliases',
      'domain',
      'tags',
      'enabled',
      'redirect_status',
      'forward_query',
    ]) {
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

  test('of the slug leaves the old one as an alias, until it is taken out', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'One' })
    expect(await links.patch(id, { slug: 'Two' })).toMatchObject({ slug: 'Two', aliases: ['One'] })
    expect(await links.patch(id, { slug: 'Three' })).toMatchObject({ aliases: ['One', 'Two'] })
    // Back to an alias of its own.
    expect(await links.patch(id, { slug: 'one' })).toMatchObject({
      slug: 'one',
      aliases: ['Two', 'Three'],
    })
    await expectConsistent()
    expect(await links.patch(id, { aliases: ['three'] })).toMatchObject({ aliases: ['three'] })
    await expectConsistent()
    expect(await slugRow('two')).toMatchObject({ link_seq: null, target_url: null })
    // Held: another workspace can't have it, the own one can.
    expect(await refusal(links.create({ destination_url: URL_A, slug: 'two' }, 2))).toEqual([
      'SLUG_TAKEN',
    ])
    await links.create({ destination_url: URL_A, slug: 'TWO' })
    expect(await refusal(links.patch(id, { slug: 'two' }))).toEqual(['SLUG_TAKEN'])
    await expectConsistent()
  })

  test('of the case of a slug is a change, and makes no alias', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'abc' })
    expect(await links.patch(id, { slug: 'ABC' })).toMatchObject({
      slug: 'ABC',
      aliases: [],
      version: 2,
    })
    await expectConsistent()
  })

  test('of slug and aliases together keeps only what it says', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'a1', aliases: ['a2'] })
    const link = await links.patch(id, { slug: 'a3', aliases: ['a2', 'a3'] })
    expect(link).toMatchObject({ slug: 'a3', aliases: ['a2'] })
    expect(await slugRow('a1')).toMatchObject({ link_seq: null })
    await expectConsistent()
  })

  test('of the domain leaves the old address working', async () => {
    const { id } = await links.create({ destination_url: URL_A, slug: 'x', aliases: ['y'] })
    const moved = await links.patch(id, { domain: 'go.example' })
    expect(moved).toMatchObject({
      domain: 'go.example',
      short_url: 'https://go.example/x',
      aliases: ['s.example/y', 's.example/x'],
    })
    expect(await slugRow('x', 0)).toMatchObject({ target_url: URL_A })
    await expectConsistent()
    // What is given out can be given back.
    expect(await links.patch(id, { aliases: moved.aliases })).toMatchObject({ version: 2 })
    expect(await links.patch(id, { domain: 's.example' })).toMatchObject({
      aliases: ['y', 'go.example/x'],
    })
    await expectConsistent()
    expect(await links.patch(id, { aliases: [] })).toMatchObject({ aliases: [] })
    expect(await slugRow('x', 1)).toMatchObject({ link_seq: null })
    await expectConsistent()
  })

  test('of the slug is refused when the aliases become too many', async () => {
    const aliases = Array.from({ length: 20 }, (_, i) => `alias${i}`)
    const { id } = await links.create({ destination_url: URL_A, slug: 's', aliases })
    expect(await refusal(links.patch(id, { slug: 't' }))).toEqual([
      'VALIDATION_FAILED',
      'aliases: TOO_MANY',
    ])
    await links.patch(id, { slug: 't', aliases })
    await expectConsistent()
  })

  test('holds the end against the beginning that is stored', async () => {
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

  test('of max_clicks counts the visitors who came before', async () => {
    const counted = await createTestLinks({ peopleSoFar: () => 7 })
    const { id } = await counted.create({ destination_url: URL_A })
    expect(await counted.patch(id, { max_clicks: 8 })).toMatchObject({ status: 'active' })
    expect(await counted.patch(id, { max_clicks: 7 })).toMatchObject({ status: 'exhausted' })
    expect(await counted.patch(id, { max_clicks: null })).toMatchObject({ status: 'active' })
    await counted.close()
  })

  test('takes an external id only if it is free', async () => {
    const { id } = await links.create({ destination_url: URL_A, external_id: 'a' })
    await links.create({ destination_url: URL_A, external_id: 'b' })
    expect(await refusal(links.patch(id, { external_id: 'b' }))).toEqual([
      'VALIDATION_FAILED',
      'external_id: EXTERNAL_ID_TAKEN',
    ])
    await links.patch(id, { external_id: 'a', title: 'x' })
    await links.patch(id, { external_id: null })
    await links.patch(id, { external_id: 'c' })
    await expectConsistent()
  })

  test('heeds the version, and other workspaces’ links don’t exist', async () => {
    const { id } = await links.create({ destination_url: URL_A })
    expect(await refusal(links.patch(id, { title: 'x' }, { version: 2 }))).toEqual([
      'PRECONDITION_FAILED',
    ])
    await links.patch(id, { title: 'x' }, { version: 1 })
    expect(await refusal(links.patch(id, {}, { workspaceNo: 2 }))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(links.remove(id, { workspaceNo: 2 }))).toEqual(['LINK_NOT_FOUND'])
    expect(await refusal(links.patch('lnk_none', {}))).toEqual(['LINK_NOT_FOUND'])
  })

  test('shows in the search at once', async () => {
    const { id } = await links.create({ destination_url: URL_A, title: 'before', tags: ['t1'] })
    await links.patch(id, { title: 'After', tags: ['t2'] })
    expect((await links.list({ search: 'before' })).pagination.total).toBe(0)
    expect((await links.list({ search: 'aFTer' })).data).toMatchObject([{ id }])
    expect((await links.list({ tag: 't1' })).pagination.total).toBe(0)
    expect((await links.list({ tag: 'T2' })).data).toMatchObject([{ id }])
  })
})

describe('deleting', () => {
  test('takes everything away but holds the slugs', async () => {
    const { id } = await links.create({
      destination_url: URL_A,
      slug: 'gone',
      aliases: ['gone2', 'go.example/gone3'],
      tags: ['t'],
      title: 'findable',
    })
    expect(await refusal(links.remove(id, { version: 9 }))).toEqual(['PRECONDITION_FAILED'])
    await links.remove(id, { version: 1 })
    await expectConsistent()
    for (const [key, no] of [
      ['gone', 0],
      ['gone2', 0],
      ['gone3', 1],
    ] as const) {
      expect(await slugRow(key, no)).toMatchObject({ link_seq: null, target_url: null })
    }
    expect(await refusal(links.remove(id))).toEqual(['LINK_NOT_FOUND'])
    expect((await links.list({ search: 'findable' })).pagination.total).toBe(0)
    expect((await links.list()).pagination.total).toBe(0)
    await links.create({ destination_url: URL_A, slug: 'GONE' })
    await expectConsistent()
  })

  test('is told to whoever wants to know', async () => {
    const told: unknown[] = []
    const telling = await createTestLinks({
      changed: () => told.push('changed'),
      removed: (seq) => told.push(seq),
    })
    const { id } = await telling.create({ destination_url: URL_A })
    await telling.remove(id)
    expect(told).toEqual(['changed', 'changed', 2 ** 32 + 1])
    await telling.close()
  })
})

describe('blocking', () => {
  test('makes the link and all its slugs special, and is undone', async () => {
    const { id, slug } = await links.create({
      destination_url: URL_A,
      slug: 'Bad',
      aliases: ['b2'],
    })
    const { clock, storage, service } = links
    const ctx = { clock, domains: service.rules.domains }
    for (const [name, blocked] of [
      ['bad', true],
      ['s.example/B2', false],
      [id, true],
    ] as const) {
      expect(await storage.write((tx) => setBlocked(ctx, tx, name, blocked))).toBe(id)
      expect(await slugRow('b2')).toMatchObject({ special: Number(blocked) })
      expect(await slugRow(slug.toLowerCase())).toMatchObject({ special: Number(blocked) })
    }
    expect((await links.list({ status: 'blocked' })).data).toMatchObject([{ id, version: 4 }])
    // The owner's changes don't lift it.
    expect(await links.patch(id, { title: 'x' })).toMatchObject({ status: 'blocked' })
    expect(await slugRow('b2')).toMatchObject({ special: 1 })
    for (const name of ['none', 'go.example/bad', 'nowhere.example/bad', 'lnk_x']) {
      expect(await storage.write((tx) => setBlocked(ctx, tx, name, true))).toBeNull()
    }
  })
})
