/** `slugline apply`: links as files declare them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createContext } from '../../src/cli/context.ts'
import { runProgram } from '../../src/cli/program.ts'
import type { Link } from '../../src/features/links/index.ts'
import { readEnvironment } from '../../src/platform/config/index.ts'
import { BASE_ENV, SLUGLINE, type Slugline, startSlugline } from '../harness/process.ts'
import { onTerminal } from '../harness/terminal.ts'

const URL = 'https://example.com/'

interface Change {
  action: string
  external_id: string
  id: string | null
  short_url: string | null
  file: string | null
  line: number | null
  fields: Record<string, { old: unknown; new: unknown }>
}

interface Result {
  dry_run: boolean
  summary: Record<'created' | 'updated' | 'deleted' | 'unchanged' | 'refused', number>
  changes: Change[]
  errors: { external_id: string; line: number | null; code: string; details: { field: string }[] }[]
}

let slugline: Slugline
let folder: string
let key: string
let file: string
let workspaces = 0

beforeAll(async () => {
  slugline = await startSlugline({ SLUGLINE_DOMAINS: 'go.example' })
})
afterAll(() => slugline?.dispose())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-apply-'))
  file = join(folder, 'links.yaml')
  key = (await slugline.createKey({ workspace: `w${workspaces++}` })).key
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const environment = () => ({
  ...BASE_ENV,
  HOME: folder,
  SLUGLINE_URL: slugline.url,
  SLUGLINE_API_KEY: key,
})

/** Runs the command in this process; tests that need a process start one. */
async function run(args: string[]) {
  let stdout = ''
  let stderr = ''
  const out = (text: string) => {
    stdout += text
  }
  const err = (text: string) => {
    stderr += text
  }
  const context = createContext(() => readEnvironment(environment(), false), out)
  const status = await runProgram(['apply', ...args], { out, err }, context)
  return { status, stdout, stderr }
}

/** The status, and what `--json` prints. */
async function apply(args: string[], links?: unknown): Promise<Result & { status: number }> {
  if (links !== undefined) writeFileSync(file, Bun.YAML.stringify(links, null, 2))
  const { status, stdout, stderr } = await run([file, ...args, '--json'])
  expect(stderr).toBe('')
  return { status, ...(JSON.parse(stdout) as Result) }
}

async function refusal(args: string[]) {
  const { status, stdout, stderr } = await run([...args, '--json'])
  expect(stdout).toBe('')
  const { code, details = [] } = JSON.parse(stderr).error
  return { status, code, fields: details.map(({ field }: { field: string }) => field) }
}

const counts = ({ status, summary }: Result & { status: number }) => {
  const { created, updated, deleted, unchanged, refused } = summary
  return [status, created, updated, deleted, unchanged, refused]
}

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, body })
  if (!answer.ok) throw new Error(await answer.text())
  return (answer.status === 204 ? {} : await answer.json()) as T
}
const one = (id: string) => call<Link>('GET', `/links/external/${id}`)
async function ids(): Promise<(string | null)[]> {
  const { data } = await call<{ data: Link[] }>('GET', '/links?archived=any&limit=100')
  return data.map(({ external_id }) => external_id).sort()
}
/** How many changes the links of the workspace have seen. */
async function changes(): Promise<number> {
  const answer = await slugline.call('GET', '/api/v1/history.ndjson', { key })
  return (await answer.text()).split('\n').length
}

/** Slugs are the instance's. */
const declaredOf = (slug: string) => [
  {
    external_id: 'web-summer',
    destination_url: `${URL}summer`,
    slug,
    domain: 'go.example',
    title: 'Summer',
    tags: ['b', 'a'],
    expires_at: '2031-01-31T22:00:00+01:00',
    rules: [{ name: 'iPhones', when: { os: ['iOS'] }, then: { destination_url: `${URL}ios` } }],
    utm: { source: 'letter' },
    social: { title: 'Hello' },
  },
  { external_id: 'web-docs', destination_url: `${URL}docs` },
]

let DECLARED: ReturnType<typeof declaredOf>
beforeEach(() => {
  DECLARED = declaredOf(`summer-${workspaces}`)
})

describe('links as files declare them', () => {
  test('are created, and left alone when they are as declared', async () => {
    const first = await apply([], DECLARED)
    expect(counts(first)).toEqual([0, 2, 0, 0, 0, 0])
    expect(first.changes.map(({ external_id, file, line }) => [external_id, file, line])).toEqual([
      ['web-summer', file, 1],
      ['web-docs', file, expect.any(Number)],
    ])
    const summer = await one('web-summer')
    expect(summer).toMatchObject({
      ...{
        domain: 'go.example',
        slug: DECLARED[0]?.slug as string,
        title: 'Summer',
        tags: ['a', 'b'],
      },
      destination_url: `${URL}summer?utm_source=letter`,
      expires_at: '2031-01-31T21:00:00.000Z',
    })
    expect(first.changes[0]?.id).toBe(summer.id)
    const before = await changes()
    expect(counts(await apply([]))).toEqual([0, 0, 0, 0, 2, 0])
    expect(counts(await apply(['--dry-run', '--exit-code']))).toEqual([0, 0, 0, 0, 2, 0])
    expect(await changes()).toBe(before)
    expect(await one('web-summer')).toEqual(summer)
  })

  test('are changed where they differ; fields that are left out stay', async () => {
    await apply([], DECLARED)
    const { id } = await one('web-summer')
    await call('PATCH', `/links/${id}`, { notes: 'by hand', title: 'by hand' })
    const named = [
      {
        external_id: 'web-summer',
        destination_url: `${URL}summer?utm_source=letter`,
        title: 'New',
      },
      DECLARED[1],
    ]
    const plan = await apply(['--dry-run', '--exit-code'], named)
    expect(counts(plan)).toEqual([2, 0, 1, 0, 1, 0])
    expect(plan.changes[0]).toMatchObject({ action: 'update', external_id: 'web-summer', id })
    expect(plan.changes[0]?.fields).toEqual({ title: { old: 'by hand', new: 'New' } })
    expect((await one('web-summer')).title).toBe('by hand')
    const done = await apply([])
    expect(done.changes).toEqual(plan.changes)
    expect(await one('web-summer')).toMatchObject({
      ...{ title: 'New', notes: 'by hand', tags: ['a', 'b'], version: 3 },
    })
    // Null clears a field.
    const cleared = await apply([], [{ external_id: 'web-summer', title: null, rules: [] }])
    expect(Object.keys(cleared.changes[0]?.fields ?? {}).sort()).toEqual(['rules', 'title'])
    expect(await one('web-summer')).toMatchObject({ title: null, rules: [] })
  })

  test('come from several files, directories and stdin', async () => {
    mkdirSync(join(folder, 'more'))
    const line = (id: string) => `- {external_id: ${id}, destination_url: "${URL}${id}"}\n`
    writeFileSync(join(folder, 'more/a.yaml'), line('a'))
    const json = { links: [{ external_id: 'b', destination_url: URL }] }
    writeFileSync(join(folder, 'more/b.json'), JSON.stringify(json))
    writeFileSync(file, line('c'))
    const command = [SLUGLINE, 'apply', join(folder, 'more'), file, '-', '--json']
    const child = Bun.spawn(command, { env: environment(), stdin: new Blob([line('d')]) })
    const stdout = await new Response(child.stdout).text()
    expect(await child.exited).toBe(0)
    expect((JSON.parse(stdout) as Result).changes.map(({ external_id }) => external_id)).toEqual([
      ...['a', 'b', 'c', 'd'],
    ])
    expect(await ids()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('may name their folder', async () => {
    const { id } = await call<{ id: string }>('POST', '/folders', { name: 'Spring' })
    const link = (folder: unknown) => [{ external_id: 'a', destination_url: URL, folder }]
    expect((await apply([], link('spring'))).changes[0]?.fields.folder).toEqual({
      ...{ old: null, new: 'Spring' },
    })
    expect((await one('a')).folder_id).toBe(id)
    expect(counts(await apply([], link(id)))).toEqual([0, 0, 0, 0, 1, 0])
    const { status, errors } = await apply([], link('Summer'))
    expect([status, errors[0]?.code, errors[0]?.line]).toEqual([1, 'FOLDER_NOT_FOUND', 1])
    expect(counts(await apply([], link(null)))).toEqual([0, 0, 1, 0, 0, 0])
    await call('POST', '/folders', { name: 'Spring' })
    expect((await apply([], link('Spring'))).errors[0]?.code).toBe('FOLDER_AMBIGUOUS')
  })

  test('keep a password, which is never shown', async () => {
    const link = { external_id: 'a', destination_url: URL, password: 'open sesame' }
    const made = await apply([], [link])
    expect(made.changes[0]?.fields.password).toEqual({ old: null, new: '(secret)' })
    expect(JSON.stringify(made)).not.toContain('sesame')
    expect(await one('a')).toMatchObject({ has_password: true, version: 1 })
    expect(counts(await apply([]))).toEqual([0, 0, 0, 0, 1, 0])
    const cleared = await apply([], [{ ...link, password: null }])
    expect(cleared.changes[0]?.fields.password).toEqual({ old: '(secret)', new: null })
    expect(counts(await apply([], [link, { ...link, external_id: 'b' }]))).toEqual([
      ...[0, 1, 1, 0, 0, 0],
    ])
    expect(await one('a')).toMatchObject({ has_password: true, version: 3 })
  })

  test('may be more than one request takes', async () => {
    const many = Array.from({ length: 1_100 }, (_, i) => ({
      external_id: `many-${i}`,
      destination_url: `${URL}${i}`,
    }))
    expect(counts(await apply([], many))).toEqual([0, 1_100, 0, 0, 0, 0])
    expect(counts(await apply([]))).toEqual([0, 0, 0, 0, 1_100, 0])
  })

  test('are shown field by field to people', async () => {
    await apply([], DECLARED)
    const named = [
      { external_id: 'web-docs', title: 'Docs' },
      { ...DECLARED[0], external_id: 'x', slug: `x-${workspaces}` },
    ]
    writeFileSync(file, Bun.YAML.stringify(named, null, 2))
    const { status, stdout } = await run([file, '--dry-run'])
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^~ web-docs {2}\S+ \(\S+links.yaml:1\)\n {4}title {2}null → "Docs"\n\+ x /,
    )
    expect(stdout).toContain('    tags             ["a","b"]\n')
  })
})

describe('what can’t be applied', () => {
  test('is refused before anything is written, with its line', async () => {
    const text = `
- external_id: a
  destination_url: ${URL}a
- external_id: b
  destination_url: nowhere
  colour: red
- external_id: c
  destination_url: ${URL}c
  slug: a b
`
    writeFileSync(file, text)
    const told = await apply([])
    expect(counts(told)).toEqual([1, 0, 0, 0, 0, 2])
    expect(
      told.errors.map(({ external_id, line, code, details }) => [
        ...[external_id, line, code, details.map(({ field }) => field)],
      ]),
    ).toEqual([
      ['b', 4, 'VALIDATION_FAILED', ['destination_url', 'colour']],
      ['c', 7, 'VALIDATION_FAILED', ['slug']],
    ])
    expect(await ids()).toEqual([])
    const { status, stdout } = await run([file, '--dry-run', '--exit-code'])
    expect([status, stdout.includes(`${file}:4: b`)]).toEqual([1, true])
  })

  test('has ids twice', async () => {
    writeFileSync(file, `- external_id: a\n- external_id: a\n`)
    expect(await refusal([file])).toEqual({
      ...{ status: 2, code: 'INVALID_FILES', fields: [`${file}:2`] },
    })
    // A script that asks for differences must not take it for one.
    expect((await refusal([file, '--dry-run', '--exit-code'])).status).toBe(1)
  })

  test('is called without what belongs to it', async () => {
    writeFileSync(file, '[]')
    expect(await refusal([file, '--prune'])).toMatchObject({ status: 2, code: 'USAGE' })
    expect(await refusal([file, '--exit-code'])).toMatchObject({ status: 2, code: 'USAGE' })
  })
})

describe('links that no file declares', () => {
  const link = (id: string, more = {}) => ({
    external_id: id,
    destination_url: `${URL}${id}`,
    slug: `apply-${id}-${workspaces}`,
    ...more,
  })

  test('are deleted with --prune, if their id has the prefix', async () => {
    await apply([], [link('web-a'), link('web-b', { archived: true }), link('other-web-c')])
    await call('POST', '/links', { destination_url: URL, title: 'web-' })
    const pruned = ['--prune', '--prefix', 'web-']
    const plan = await apply([...pruned, '--dry-run'], [link('web-a')])
    expect(plan.changes.map(({ action, external_id }) => [action, external_id])).toEqual([
      ['delete', 'web-b'],
    ])
    // There is no one to ask.
    expect((await refusal([file, ...pruned])).code).toBe('NOT_CONFIRMED')
    expect(await ids()).toHaveLength(4)
    expect(counts(await apply([...pruned, '--yes']))).toEqual([0, 0, 0, 1, 1, 0])
    expect(await ids()).toEqual(['other-web-c', 'web-a', null].sort())
    expect(counts(await apply([...pruned, '--yes']))).toEqual([0, 0, 0, 0, 1, 0])
  })

  test('leave their slug to others in the same run', async () => {
    await apply([], [link('web-a')])
    const { slug } = await one('web-a')
    const renamed = [link('web-b', { slug })]
    expect(counts(await apply(['--prune', '--prefix', 'web-', '--yes'], renamed))).toEqual([
      ...[0, 1, 0, 1, 0, 0],
    ])
    expect((await one('web-b')).slug).toBe(slug)
  })

  test('are asked about; an edit meanwhile is not overwritten', async () => {
    await apply([], [link('web-a'), link('web-b'), link('web-c'), link('web-d')])
    const changed = [link('web-a', { title: 'A' }), link('web-b', { title: 'B' }), link('web-e')]
    writeFileSync(file, Bun.YAML.stringify(changed, null, 2))
    const command = [SLUGLINE, 'apply', file, '--prune', '--prefix', 'web-']
    const no = onTerminal(command, environment())
    await no.shows('Delete 2 links?')
    no.type('n\r')
    expect((await no.ended).status).toBe(1)
    expect(await ids()).toEqual(['web-a', 'web-b', 'web-c', 'web-d'])
    const yes = onTerminal(command, environment())
    await yes.shows('Delete 2 links?')
    for (const id of ['web-b', 'web-c']) {
      await call('PATCH', `/links/external/${id}`, { notes: 'meanwhile' })
    }
    await call('POST', '/links', link('web-e'))
    yes.type('y\r')
    const { status, shown } = await yes.ended
    expect(status).toBe(1)
    expect(shown).toContain('0 created, 1 updated, 1 deleted')
    expect(await ids()).toEqual(['web-a', 'web-b', 'web-c', 'web-e'])
    expect(await one('web-a')).toMatchObject({ title: 'A' })
    expect(await one('web-b')).toMatchObject({ title: null, notes: 'meanwhile' })
    expect(await one('web-c')).toMatchObject({ notes: 'meanwhile' })
  })
})

describe('laws', () => {
  const fields = fc.record(
    {
      destination_url: fc.constantFrom(URL, `${URL}other`),
      title: fc.constantFrom('T', '', null),
      tags: fc.constantFrom(['t'], ['u', 'T'], [], null),
      aliases: fc.constantFrom([], ['z1'], null),
      enabled: fc.constantFrom(true, false, null),
      max_clicks: fc.constantFrom(5, null),
      expires_at: fc.constantFrom('2031-01-01T00:00:00Z', '2031-01-01T01:00:00+01:00', null),
      social: fc.constantFrom({ title: 'S' }, { description: 'D' }, null),
      utm: fc.constantFrom({ source: 's' }, { source: null }, null),
      password: fc.constantFrom('secret', null),
      rules: fc.constantFrom(
        [],
        [{ when: { device: ['mobile'] }, then: { answer: 'gone' } }],
        null,
      ),
    },
    { requiredKeys: ['destination_url'] },
  )
  const declared = fc
    .uniqueArray(fc.constantFrom('p-1', 'p-2', 'p-3', 'p-4'), { minLength: 1 })
    .chain((ids) =>
      fc.tuple(...ids.map((external_id) => fields.map((link) => ({ external_id, ...link })))),
    )

  test('a plan is what apply does, and the second time there is nothing to do', async () => {
    const pruned = ['--prune', '--prefix', 'p-', '--yes']
    /** Without what is only known once a link is made. */
    const known = ({ changes, summary }: Result) => ({
      summary,
      changes: changes.map(({ id, short_url, ...change }) =>
        change.action === 'create' ? change : { ...change, id, short_url },
      ),
    })
    await fc.assert(
      fc.asyncProperty(declared, declared, async (first, second) => {
        // Two links can't have the same alias.
        const aliased = (links: { aliases?: unknown; external_id: string }[]) =>
          links.map(({ aliases, ...link }) => ({
            ...link,
            ...(Array.isArray(aliases) && {
              aliases: aliases.map((alias) => `${alias}-${link.external_id}-${workspaces}`),
            }),
          }))
        for (const links of [first, second].map(aliased)) {
          const plan = await apply([...pruned, '--dry-run'], links)
          const done = await apply(pruned)
          expect(done.status).toBe(0)
          expect(known(done)).toEqual(known(plan))
          const before = await changes()
          expect(counts(await apply(pruned))).toEqual([0, 0, 0, 0, links.length, 0])
          expect(await changes()).toBe(before)
          expect(await ids()).toEqual(links.map(({ external_id }) => external_id).sort())
        }
      }),
      { numRuns: 10 },
    )
  }, 300_000)
})
