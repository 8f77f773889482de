import { describe, expect, test } from 'bun:test'
import { ApiError } from '../../../api/errors.ts'
import type { Link } from '../queries.ts'
import {
  clashesOf,
  copyOf,
  createOf,
  draftOf,
  emptyDraft,
  patchOf,
  problemsOf,
  rebase,
  withoutCorrected,
} from './draft.ts'
import { withScheme } from './input-values.ts'

const LINK: Link = {
  id: 'lnk_1',
  destination_url: 'https://example.com/ä%2B?a=1#b',
  slug: 'Sale',
  aliases: [],
  domain: 'go.example',
  short_url: 'https://go.example/Sale',
  title: null,
  notes: null,
  tags: ['a', 'b'],
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
  expires_at: '2030-01-31T21:00:30.123Z',
  max_clicks: 5,
  fallback_url: null,
  rules: [],
  variants: [],
  has_password: true,
  social: null,
  utm: { source: null, medium: null, campaign: null, term: null, content: null },
  tracking: 'full',
  clicks: { total: 0, human: 0, bot: 0, unique: 0, imported: 0 },
  last_clicked_at: null,
  created_by: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 1,
}

const DRAFT = emptyDraft('go.example')

describe('a new link', () => {
  test('needs only a URL', () => {
    const draft = { ...emptyDraft('go.example'), destination_url: ' https://example.com/ ' }
    expect(createOf(draft, 'go.example')).toEqual({ destination_url: 'https://example.com/' })
  })

  test('has the chosen fields', () => {
    const draft = {
      ...emptyDraft('go.example'),
      destination_url: 'example.com/a',
      domain: 'b.example',
      tags: ['x'],
      max_clicks: '3',
      password: 'secret',
      redirect_status: '301',
    }
    expect(createOf(draft, 'go.example')).toEqual({
      destination_url: 'https://example.com/a',
      domain: 'b.example',
      tags: ['x'],
      max_clicks: 3,
      password: 'secret',
      redirect_status: 301,
    })
  })

  test('leaves invalid numbers to the API', () => {
    const draft = { ...emptyDraft('a'), max_clicks: 'many' }
    expect(createOf(draft, 'a').max_clicks as unknown).toBe('many')
  })
})

const RULED: Link = {
  ...LINK,
  rules: [
    {
      id: 'a',
      name: 'Split',
      when: { country: ['DE'] },
      then: { variants: [{ id: 'x', destination_url: 'https://example.com/', weight: 5 }] },
    },
    { id: 'b', when: {}, then: { answer: 'gone' } },
  ],
  variants: [{ id: 'v', destination_url: 'https://example.com/v', weight: 1 }],
}

test('a copy of a link has its rules and variants, with ids of their own', () => {
  const body = createOf(copyOf(RULED), LINK.domain)
  expect(JSON.stringify(body.rules)).not.toContain('"id"')
  expect(body).toMatchObject({
    rules: [{ name: 'Split', when: { country: ['DE'] } }, { then: { answer: 'gone' } }],
    variants: [{ destination_url: 'https://example.com/v', weight: 1 }],
  })
  expect(body.variants?.[0]).not.toHaveProperty('id')
})

describe('a change', () => {
  test('of a rule keeps all ids, and omits unchanged fields', () => {
    expect(patchOf(draftOf(RULED), RULED)).toEqual({})
    const draft = draftOf(RULED)
    const [first, second] = draft.rules as [(typeof draft.rules)[0], (typeof draft.rules)[0]]
    const rules = [second, { ...first, name: 'Halves' }]
    expect(patchOf({ ...draft, rules }, RULED)).toEqual({
      rules: [RULED.rules[1], { ...RULED.rules[0], name: 'Halves' }] as never,
    })
  })

  test('of rules that someone else changed too is a conflict', () => {
    const draft = { ...draftOf(RULED), rules: [] }
    const theirs = { ...RULED, rules: RULED.rules.slice(1) }
    expect(clashesOf(patchOf(draft, RULED), RULED, theirs)).toEqual(['rules'])
    expect(patchOf(rebase(draft, RULED, theirs), theirs)).toEqual({ rules: [] })
  })

  test('without effect is empty, even though the form drops seconds', () => {
    expect(patchOf(draftOf(LINK), LINK)).toEqual({})
  })

  test('has only changed fields; emptied ones are cleared', () => {
    const draft = { ...draftOf(LINK), title: 'Sale', max_clicks: '', expires_at: '', tags: ['a'] }
    expect(patchOf(draft, LINK)).toEqual({
      title: 'Sale',
      max_clicks: null,
      expires_at: null,
      tags: ['a'],
    })
  })

  test('of the password sets or removes it', () => {
    expect(patchOf({ ...draftOf(LINK), password: 'new' }, LINK)).toEqual({ password: 'new' })
    expect(patchOf({ ...draftOf(LINK), password: '' }, LINK)).toEqual({ password: null })
  })
})

test('a scheme is added to an obvious host', () => {
  expect(withScheme('example.com')).toBe('https://example.com')
  expect(withScheme('example.com:8080/a')).toBe('https://example.com:8080/a')
  for (const text of ['http://a.b', 'mailto:a@b.c', 'javascript:alert(1)', 'hello', 'a b.c', '']) {
    expect(withScheme(text)).toBe(text)
  }
})

test('problems are shown at their fields, the first of each', () => {
  const details = [
    { field: 'tags[2]', code: 'TOO_LONG', message: 'too long' },
    { field: 'tags[3]', code: 'TOO_LONG', message: 'also' },
    { field: 'slug', code: 'INVALID_SLUG', message: 'no' },
  ]
  const error = new ApiError(422, 'VALIDATION_FAILED', 'm', details)
  expect(problemsOf(error, DRAFT)).toMatchObject({ tags: 'too long', slug: 'no' })
  expect(problemsOf(new ApiError(409, 'SLUG_TAKEN', 'taken'), DRAFT)).toEqual({ slug: 'taken' })
})

test('a problem is gone once its field is changed', () => {
  const problems = { slug: 'no', 'social.title': 'long', social: 'long', 'rules[k].name': 'name' }
  const sent = { ...DRAFT, social: { ...DRAFT.social, title: 'Long' } }
  const left = (change: Partial<typeof sent>) =>
    Object.keys(withoutCorrected(problems, { ...sent, ...change }, sent))
  expect(left({})).toEqual(Object.keys(problems))
  expect(left({ title: 'Other' })).toEqual(Object.keys(problems))
  expect(left({ slug: 'other' })).toEqual(['social.title', 'social', 'rules[k].name'])
  expect(left({ social: { ...sent.social, title: 'Short' } })).toEqual(['slug', 'rules[k].name'])
  expect(left({ social: { ...sent.social, description: 'New' } })).toContain('social.title')
})

describe('a link that someone else changes in the meantime', () => {
  const theirs: Link = { ...LINK, title: 'Theirs', tags: ['c'], version: 2 }

  test('keeps their changes and mine if these concern different fields', () => {
    const mine = { ...draftOf(LINK), slug: 'Mine' }
    expect(clashesOf(patchOf(mine, LINK), LINK, theirs)).toEqual([])
    expect(patchOf(rebase(mine, LINK, theirs), theirs)).toEqual({ slug: 'Mine' })
  })

  test('is a conflict if both changed the same field to different values', () => {
    const mine = { ...draftOf(LINK), title: 'Mine', tags: ['c'] }
    expect(clashesOf(patchOf(mine, LINK), LINK, theirs)).toEqual(['title'])
    const rebased = rebase(mine, LINK, theirs)
    expect(patchOf(rebased, theirs)).toEqual({ title: 'Mine' })
    const password = { ...draftOf(LINK), password: 'x' }
    const without = { ...LINK, has_password: false }
    expect(clashesOf(patchOf(password, LINK), LINK, without)).toEqual(['password'])
  })
})
