import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AppError } from '../../lib/errors/index.ts'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { expectConsistent, slugRow } from './testing/tables.ts'

const URL_A = 'https://a.example/'
const URL_B = 'https://b.example/x?y=1#z'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(() => links.close())

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
      folder_id: null,
      archived: false,
      external_id: null,
      enabled: true,
      status: 'active',
      block: null,
      redirect_status: 302,
      forward_query: false,
      match: 'exact',
      forward_path: false,
      starts_at: null,
      expires_at: null,
      max_clicks: null,
      fallback_url: null,
      rules: [],
      variants: [],
      has_password: false,
      social: null,
      utm: { source: null, medium: null, campaign: null, term: null, content: null },
      tracking: 'full',
      clicks: { total: 0, human: 0, bot: 0, unique: 0, imported: 0 },
      last_clicked_at: null,
      created_by: { type: 'command', id: null, name: 'command line' },
      created_at: new Date(links.clock.ms).toISOString(),
      updated_at: new Date(links.clock.ms).toISOString(),
      version: 1,
    })
    expect(
      await links.service.get(
        { workspace: { no: 1, plan: { limits: { links: null, addresses: null } } } },
        link.id,
      ),
    ).toEqual(link)
    expect(await slugRow(links, link.slug)).toMatchObject({ target_url: URL_B, special: 0 })
    await expectConsistent(links)
  })

  test('accepts every writable field', async () => {
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
      rules: [],
      variants: [],
      has_password: true,
    })
    expect(await slugRow(links, 'strasse', 1)).toMatchObject({ special: 1, redirect_status: 308 })
    await expectConsistent(links)
  })

  test('reports all faults together', async () => {
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
        'aliases[2]: INVALID_SLUG',
        'tags[1]: TOO_SHORT',
        'tags[2]: INVALID_TYPE',
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
      'aliases[1]: DUPLICATE_VALUE',
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
          expect(await slugRow(links, suggestion.toLowerCase())).toBeUndefined()
        }
      }
    }
    expect(
      await refusal(links.create({ destination_url: URL_A, slug: 'new', aliases: ['PROMO'] })),
    ).toEqual(['SLUG_TAKEN', 'aliases: SLUG_TAKEN'])
    // Nothing of it was written.
    expect(await slugRow(links, 'new')).toBeUndefined()
    await expectConsistent(links)
  })

  test('lets the same slug live on two domains', async () => {
    await links.create({ destination_url: URL_A, slug: 'same' })
    await links.create({ destination_url: URL_A, slug: 'same', domain: 'go.example' })
    await expectConsistent(links)
  })

  test('accepts an external id once per workspace', async () => {
    await links.create({ destination_url: URL_A, external_id: 'e' })
    expect(await refusal(links.create({ destination_url: URL_A, external_id: 'e' }))).toEqual([
      'EXTERNAL_ID_TAKEN',
    ])
    await links.create({ destination_url: URL_A, external_id: 'e' }, 2)
    await expectConsistent(links)
  })

  test('stops exactly at the limit of the plan under concurrency', async () => {
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
    await expectConsistent(links)
  })

  test('gives a slug to one of many concurrent requests', async () => {
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

  test('dates no link by a clock that was days ahead, once it is right', async () => {
    const slugs = async (query: Record<string, string>) =>
      (await links.list(query)).data.map(({ slug }) => slug).join()
    const now = links.clock.ms
    const at = (ms: number) => new Date(now + ms).toISOString()
    await links.create({ destination_url: URL_A, slug: 'before' })
    links.clock.ms += 3 * 86_400_000
    await links.create({ destination_url: URL_A, slug: 'ahead' })
    links.clock.ms = now + 60_000
    for (const slug of ['after', 'then']) {
      const { created_at } = await links.create({ destination_url: URL_A, slug })
      expect(created_at).toBe(at(60_000))
    }
    expect(await slugs({})).toBe('ahead,then,after,before')
    const [begin, end] = [at(30_000), at(86_400_000)]
    expect(await slugs({ created_after: begin, created_before: end })).toBe('then,after')
    expect(await slugs({ created_before: end, sort: 'slug' })).toBe('then,before,after')
    expect(await slugs({ created_after: end })).toBe('ahead')
    const { pagination } = await links.list({ created_before: end, total: 'exact' })
    expect(pagination.total).toBe(3)
  })

  test('never generates a slug that was used before', async () => {
    let draws = 0
    const draw = new Uint8Array(64)
    const stubborn = await createTestLinks({
      random: {
        // The same bytes three times, then others.
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
