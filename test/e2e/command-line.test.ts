import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Explanation } from '../../src/features/explain/schemas.ts'
import type { Link } from '../../src/features/links/index.ts'
import { bigLink } from '../../src/features/links/testing/big-link.ts'
import { eventually } from '../harness/eventually.ts'
import {
  BASE_ENV,
  type CommandResult,
  SLUGLINE,
  type Slugline,
  startSlugline,
} from '../harness/process.ts'
import { CTRL_C, onTerminal } from '../harness/terminal.ts'

const URL = 'https://example.com/'
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

let slugline: Slugline
let folder: string
let key: string
/** Only a home directory, for the saved login. */
let env: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-command-line-'))
  env = { ...BASE_ENV, HOME: folder }
  slugline = await startSlugline({ SLUGLINE_DOMAINS: 'go.example' })
  key = (await slugline.createKey()).key
  await ask(['login', '--url', slugline.url], { stdin: key })
})
afterAll(async () => {
  await slugline?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function run(args: string[], { stdin = '', more = {} } = {}): Promise<CommandResult> {
  const child = Bun.spawn([SLUGLINE, ...args], {
    env: { ...env, ...more },
    stdin: new Blob([stdin]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, stderr }
}

/** The output of a successful command. */
async function ask<T = Link>(args: string[], options = {}): Promise<T> {
  const { status, stdout, stderr } = await run([...args, '--json'], options)
  expect([status, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

async function refusal(args: string[], options = {}) {
  const { status, stderr } = await run([...args, '--json'], options)
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  return { status, ...(error as { code: string; message: string; details?: { field: string }[] }) }
}

const linksOf = async (query: string) => {
  const answer = await slugline.call('GET', `/api/v1/links?${query}`, { key })
  return ((await answer.json()) as { data: Link[] }).data
}

describe('the saved login', () => {
  test('on a terminal prompts for the key without echo', async () => {
    const home = { ...env, HOME: join(folder, 'terminal') }
    const login = () => onTerminal([SLUGLINE, 'login', '--url', slugline.url], home)
    const left = login()
    await left.shows('API key: ')
    left.type(`${key.slice(0, 8)}${CTRL_C}`)
    expect((await left.ended).status).toBe(2)
    const done = login()
    await done.shows('API key: ')
    done.type(`${key}\r`)
    const { status, shown } = await done.ended
    expect([status, shown.includes(key.slice(0, 8))]).toEqual([0, false])
    const file = join(home.HOME, '.config', 'slugline', 'login.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ key })
  })

  test('reads the key from stdin, verifies it, and has mode 0600', async () => {
    const more = { HOME: join(folder, 'home') }
    const file = join(more.HOME, '.config', 'slugline', 'login.json')
    expect(await refusal(['links', 'list'], { more })).toMatchObject({
      ...{ status: 2, code: 'NOT_LOGGED_IN' },
    })
    const wrong = await refusal(['login', '--url', slugline.url], { more, stdin: 'slug_wrong' })
    expect([wrong.status, wrong.code]).toEqual([1, 'INVALID_API_KEY'])
    expect((await refusal(['login', '--url', 'sho.rt'], { more, stdin: key })).status).toBe(2)
    expect(existsSync(file)).toBe(false)
    const stdin = `${key}\n`
    const { stdout } = await run(['login', '--url', `${slugline.url}/`], { more, stdin })
    expect(stdout).toContain(slugline.url)
    expect(stdout).not.toContain(key)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: slugline.url, key })
    expect((await run(['jobs', 'list'], { more })).status).toBe(0)
  })

  test('the environment takes precedence, and a saved key is sent to no other instance', async () => {
    const other = (await slugline.createKey({ workspace: 'other' })).key
    await ask(['links', 'create', URL, '--slug', 'theirs'], { more: { SLUGLINE_API_KEY: other } })
    expect(await linksOf('slug=theirs')).toEqual([])
    const elsewhere = { more: { SLUGLINE_URL: 'http://127.0.0.1:9' } }
    expect((await refusal(['links', 'list'], elsewhere)).code).toBe('NOT_LOGGED_IN')
    const both = { more: { SLUGLINE_URL: 'http://127.0.0.1:9', SLUGLINE_API_KEY: other } }
    expect((await refusal(['links', 'list'], both)).code).toBe('UNREACHABLE')
  })

  test('ends with logout', async () => {
    const home = { more: { XDG_CONFIG_HOME: join(folder, 'xdg') } }
    await ask(['login', '--url', slugline.url, '--key', key], home)
    expect(await ask<object>(['logout'], home)).toEqual({ removed: true })
    expect(await ask<object>(['logout'], home)).toEqual({ removed: false })
    expect((await refusal(['jobs', 'list'], home)).code).toBe('NOT_LOGGED_IN')
  })

  test('reports where a URL redirects that is not the instance itself', async () => {
    const server = Bun.serve({
      port: 0,
      fetch: () => Response.redirect('https://sho.rt/api/v1/me'),
    })
    const { code } = await refusal(['login', '--url', server.url.origin], { stdin: key })
    await server.stop(true)
    expect(code).toBe('REDIRECTED')
  })
})

describe('links', () => {
  test('are created, changed, shown and deleted', async () => {
    const folderMade = await slugline.call('POST', '/api/v1/folders', {
      key,
      body: { name: 'News' },
    })
    const { id: folder_id } = (await folderMade.json()) as { id: string }
    const made = await ask(
      [
        ...['links', 'create', '--tag', 'a', '--tag', 'b', `${URL}1`, '--slug', 'one'],
        ...['--folder', 'news', '--expires', '90d', '--max-clicks', '5', '--no-enabled'],
        ...['--data', '-', '--title', 'Eins'],
        // Passwords needn't be visible in process lists.
      ],
      { stdin: '{"password":"open sesame"}' },
    )
    expect(made).toMatchObject({
      ...{ slug: 'one', tags: ['a', 'b'], folder_id, max_clicks: 5, enabled: false, title: 'Eins' },
      ...{ destination_url: `${URL}1`, has_password: true },
    })
    expect(Date.parse(made.expires_at ?? '')).toBeGreaterThan(Date.now() + 89 * 86_400_000)
    const changed = await ask([
      ...['links', 'update', 'one', `${URL}2`, '--enabled', '--title', '', '--tag', ''],
      ...['--folder', '', '--expires', '', '--max-clicks', '', '--slug', 'uno', '--archived'],
    ])
    expect(changed).toMatchObject({
      ...{ id: made.id, slug: 'uno', aliases: ['one'], enabled: true, title: null, tags: [] },
      ...{ folder_id: null, expires_at: null, max_clicks: null, archived: true },
      ...{ destination_url: `${URL}2`, has_password: true },
    })
    await ask(['links', 'update', 'uno', '--external-id', 'crm/1'])
    const tag = async (...options: string[]) =>
      (await ask(['links', 'update', 'uno', ...options])).tags
    expect(await tag('--add-tag', 'b', '--add-tag', 'c')).toEqual(['b', 'c'])
    expect(await tag('--remove-tag', 'b')).toEqual(['c'])
    for (const name of [made.id, 'uno', 'ONE', 'external:crm/1', changed.short_url]) {
      expect((await ask(['links', 'get', name])).id).toBe(made.id)
    }
    expect((await run(['links', 'get', 'uno'])).stdout).toContain(changed.short_url)
    const tried = await ask(['links', 'update', 'uno', '--title', 'x', '--dry-run'])
    expect([tried.title, (await ask(['links', 'get', 'uno'])).title]).toEqual(['x', null])
    expect(await ask<object>(['links', 'delete', 'uno'])).toEqual({ id: made.id, deleted: true })
    expect((await refusal(['links', 'get', made.id])).code).toBe('LINK_NOT_FOUND')
    expect((await refusal(['links', 'delete', 'uno'])).code).toBe('LINK_NOT_FOUND')
  })

  test('read rules and variants from files, and explain where a visitor would go', async () => {
    const rules = [
      { id: 'de', when: { country: ['DE'] }, then: { destination_url: 'https://example.com/de' } },
    ]
    const variants = ['a', 'b'].map((id) => ({ id, destination_url: `${URL}${id}`, weight: 1 }))
    const file = join(folder, 'rules.json')
    writeFileSync(file, JSON.stringify(rules))
    const made = await ask(['links', 'create', URL, '--slug', 'rules', '--rules', file])
    expect([made.rules.length, made.variants.length]).toEqual([1, 0])
    const split = ['links', 'update', 'rules', '--variants', '-']
    const changed = await ask(split, { stdin: JSON.stringify(variants) })
    expect([changed.rules.length, changed.variants.length]).toEqual([1, 2])
    const explained = await ask<Explanation>(['links', 'explain', 'rules', '--country', 'DE'])
    expect(explained).toMatchObject({ outcome: 'redirect', rule: 'de', variant: null })
    const told = await run(['links', 'explain', made.id, '--user-agent', BROWSER, '--query', 'a=1'])
    expect([told.status, told.stdout.split('\n')[0]]).toEqual([
      0,
      expect.stringMatching(/302 {2}https:\/\/example.com\/[ab] {2}variant [ab]$/),
    ])
    writeFileSync(file, '{')
    expect((await run(['links', 'update', 'rules', '--rules', file])).status).toBe(2)
    const missing = ['links', 'update', 'rules', '--rules', join(folder, 'none.json')]
    expect((await run(missing)).status).toBe(1)
  })

  test('get a generated slug of the wanted kind, and are found by who made them', async () => {
    const digits = ['--slug-style', 'digits', '--slug-length', '12', '--slug-prefix', 'n-']
    const made = await ask<Link>(['links', 'create', `${URL}generated`, ...digits])
    expect(made.slug).toMatch(/^n-[0-9]{12}$/)
    const mine = ['links', 'list', '--created-by', 'me', '--search', made.slug]
    const { data } = await ask<{ data: Link[] }>(mine)
    expect(data.map(({ id, created_by }) => [id, created_by])).toEqual([[made.id, made.created_by]])
    await ask(['links', 'delete', made.id])
  })

  test('are listed by what they have', async () => {
    const more = { SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: '' }
    more.SLUGLINE_API_KEY = (await slugline.createKey({ workspace: 'had' })).key
    const rules = '{"rules":[{"when":{"country":["DE"]},"then":{"answer":"gone"}}]}'
    await ask(['links', 'create', URL, '--slug', 'had-r', '--tag', 'r', '--data', rules], { more })
    await ask(['links', 'create', URL, '--slug', 'had-p', '--data', '{"password":"abcd"}'], {
      more,
    })
    await ask(['links', 'create', URL, '--slug', 'had-t', '--tag', 't'], { more })
    const listed = async (...args: string[]) => {
      const order = ['--sort', 'slug']
      const { data } = await ask<{ data: Link[] }>(['links', 'list', ...order, ...args], { more })
      return data.map(({ slug }) => slug)
    }
    expect(await listed('--has-rules')).toEqual(['had-r'])
    expect(await listed('--has-rules', 'false')).toEqual(['had-t', 'had-p'])
    expect(await listed('--has-password')).toEqual(['had-p'])
    expect(await listed('--tagged')).toEqual(['had-t', 'had-r'])
    expect(await listed('--tagged', 'false')).toEqual(['had-p'])
    expect(await listed('--any-tag', 'r', 'T')).toEqual(['had-t', 'had-r'])
    expect(await listed('--clicked')).toEqual([])
    expect(await listed('--clicked', 'false', '--tagged')).toEqual(['had-t', 'had-r'])
    expect((await run(['links', 'list', '--clicked', 'often'], { more })).status).toBe(2)
  })

  test('report which field was refused', async () => {
    const args = ['links', 'create', 'javascript:1', '--slug', 'a b', '--max-clicks', 'many']
    const { status, code, details } = await refusal(args)
    expect([status, code, details?.map(({ field }) => field).sort()]).toEqual([
      ...[1, 'VALIDATION_FAILED', ['destination_url', 'max_clicks', 'slug']],
    ])
    expect((await refusal(['links', 'create', URL, '--data', '[1]'])).status).toBe(2)
    expect((await refusal(['links', 'create', URL, '--expires', 'soon'])).status).toBe(2)
  })

  test('of one slug on two domains are distinguished by their URL', async () => {
    for (const more of [[], ['--domain', 'go.example']]) {
      await ask(['links', 'create', URL, '--slug', 'both', ...more])
    }
    expect((await refusal(['links', 'get', 'both'])).status).toBe(2)
    const there = await ask(['links', 'get', 'http://go.example/both'])
    expect(there).toMatchObject({ slug: 'both', domain: 'go.example' })
  })

  test('are upserted by their external id', async () => {
    const upsert = (...more: string[]) =>
      ask(['links', 'upsert', '--external-id', 'crm/4712 ü', ...more])
    const made = await upsert(`${URL}a`, '--slug', 'crm')
    const changed = await upsert(`${URL}b`, '--title', 'T')
    expect(changed).toMatchObject({
      ...{ id: made.id, slug: 'crm', external_id: 'crm/4712 ü', title: 'T' },
      destination_url: `${URL}b`,
    })
    expect((await run(['links', 'upsert', URL])).status).toBe(2)
  })

  test('are found by an external id that a path can’t hold', async () => {
    for (const external_id of ['..', '.', '../lookup', 'a/../b']) {
      const made = await ask(['links', 'create', URL, '--external-id', external_id])
      const name = `external:${external_id}`
      expect(await ask(['links', 'get', name])).toMatchObject({ id: made.id, external_id })
      const changed = await ask(['links', 'update', name, '--title', 'T'])
      expect([changed.id, changed.title]).toEqual([made.id, 'T'])
      expect(await ask<object>(['links', 'delete', name])).toMatchObject({ id: made.id })
      expect((await refusal(['links', 'get', name])).code).toBe('LINK_NOT_FOUND')
    }
    for (const args of [
      ['links', 'upsert', '--external-id', '..', URL],
      ['jobs', 'show', '..'],
    ]) {
      expect(await refusal(args)).toMatchObject({ status: 2, code: 'USAGE' })
    }
  })

  test('are counted and watched', async () => {
    const { id, short_url } = await ask(['links', 'create', URL, '--slug', 'watched'])
    const child = Bun.spawn([SLUGLINE, 'links', 'watch', 'watched', '--json'], {
      env,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let shown = ''
    const read = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write(text) {
          shown += text
        },
      }),
    )
    // The first visits may end before the stream is open.
    await eventually('a click is shown', async () => {
      await fetch(short_url, { redirect: 'manual', headers: { 'User-Agent': BROWSER } })
      return shown.includes('\n') ? true : undefined
    })
    child.kill()
    await read
    expect(JSON.parse(shown.split('\n')[0] ?? '')).toMatchObject({ link_id: id, kind: 'human' })
    await eventually('it is counted', async () => {
      const stats = await ask<{ totals: { clicks: number } }>(['links', 'stats', id])
      return stats.totals.clicks > 0 ? true : undefined
    })
    const top = await ask<{ data: { value: string }[] }>(['links', 'stats', '--by', 'link'])
    expect(top.data.map(({ value }) => value)).toEqual([id])
    expect((await run(['links', 'stats', id])).stdout).toMatch(/^clicks +[1-9]/)
    expect((await run(['links', 'stats', '--by', 'color'])).status).toBe(2)
  })

  test('open in the browser', async () => {
    const { id, short_url } = await ask(['links', 'create', URL, '--slug', 'opened'])
    const opened = join(folder, 'opened')
    const browser = join(folder, 'xdg-open')
    writeFileSync(
      browser,
      `#!/bin/sh\nprintf %s "$1" > ${opened}.new; mv ${opened}.new ${opened}\n`,
    )
    chmodSync(browser, 0o755)
    const more = { PATH: `${folder}:${env.PATH}` }
    for (const [args, url] of [
      [[], `${slugline.url}/app/links/${id}`],
      [['--visit'], short_url],
    ] as const) {
      rmSync(opened, { force: true })
      expect(await ask<object>(['links', 'open', 'opened', ...args], { more })).toEqual({
        ...{ id, url, opened: true },
      })
      await eventually('the browser has it', async () => (existsSync(opened) ? true : undefined))
      expect(readFileSync(opened, 'utf8')).toBe(url)
    }
  })
})

describe('events', () => {
  interface Shown {
    id: string
    sequence: number
    type: string
    object: { name: string }
  }
  const more = { SLUGLINE_API_KEY: '', SLUGLINE_URL: '' }
  beforeAll(async () => {
    more.SLUGLINE_URL = slugline.url
    const scopes = 'links:write,events:read'
    more.SLUGLINE_API_KEY = (await slugline.createKey({ workspace: 'events', scopes })).key
    for (let n = 0; n < 105; n++) await makeTag(`tag ${n}`)
  })
  async function makeTag(name: string): Promise<void> {
    const key = more.SLUGLINE_API_KEY
    const { status } = await slugline.call('POST', '/api/v1/tags', { key, body: { name } })
    expect(status).toBe(201)
  }
  const parsed = (text: string) =>
    text
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Shown)
  async function events(...args: string[]): Promise<Shown[]> {
    const { status, stdout, stderr } = await run(['events', ...args, '--json'], { more })
    expect([status, stderr]).toEqual([0, ''])
    return parsed(stdout)
  }
  const namesOf = (shown: Shown[]) => shown.map(({ object }) => object.name)

  test('are listed page by page, the oldest first', async () => {
    const created = await events('--types', 'tag.created', '--limit', '104')
    expect(namesOf(created)).toEqual(Array.from({ length: 104 }, (_, n) => `tag ${n}`))
    expect((await events()).length).toBe(100)
    const last = created.at(-1)?.id ?? ''
    expect(namesOf(await events('--after', last))).toEqual(['tag 104'])
    expect(await events('--after', 'latest')).toEqual([])
    const { stdout } = await run(['events', '--after', last], { more })
    const [titles, row, , next] = stdout.split('\n')
    expect(titles).toMatch(/^ID +TYPE +OBJECT +CHANGED +ACTOR +AT \(UTC\)$/)
    expect(row).toMatch(/^evt_[0-9a-z]{26} +tag\.created +tag 104 +- .+ [-\d]{10} [:\d]{5}$/)
    expect(next).toContain(row?.split(' ')[0] ?? '-')
  })

  test('report what is refused', async () => {
    const refused = async (...args: string[]) => {
      const { status, code } = await refusal(['events', ...args], { more })
      return [status, code]
    }
    expect(await refused('--after', 'evt_1')).toEqual([1, 'BAD_REQUEST'])
    expect(await refused('--types', 'tag.made')).toEqual([1, 'VALIDATION_FAILED'])
    for (const limit of ['0', 'many', '1.5']) {
      expect(await refused('--limit', limit)).toEqual([2, 'USAGE'])
      expect(await refused('--limit', limit, '--follow')).toEqual([2, 'USAGE'])
    }
    expect(await refused('--after', 'evt_1', '--follow')).toEqual([1, 'BAD_REQUEST'])
  })

  test('are followed without a gap where the connection breaks, even before the first', async () => {
    const resumed: (string | null)[] = []
    const proxy = Bun.serve({
      port: 0,
      idleTimeout: 0,
      async fetch({ url, headers }) {
        const { pathname, search } = new globalThis.URL(url)
        resumed.push(headers.get('last-event-id'))
        // Whoever asked for the latest events again would miss this one.
        if (resumed.length === 2) await makeTag('missed')
        const answer = await fetch(`${slugline.url}${pathname}${search}`, { headers })
        if (resumed.length !== 1) return answer
        const reader = answer.body?.getReader()
        const first = await reader?.read()
        await reader?.cancel()
        return new Response(first?.value)
      },
    })
    const through = { more: { ...more, SLUGLINE_URL: proxy.url.origin } }
    const args = ['events', '--follow', '--after', 'latest', '--limit', '1', '--json']
    const { status, stdout } = await run(args, through)
    await proxy.stop(true)
    expect([status, namesOf(parsed(stdout))]).toEqual([0, ['missed']])
    expect(resumed).toEqual([null, expect.stringMatching(/^evt_/)])
  })

  test('are followed from the past into the present, until Ctrl+C', async () => {
    const args = ['events', '--follow', '--types', 'tag.created', '--json']
    const child = Bun.spawn([SLUGLINE, ...args], {
      env: { ...env, ...more },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    let shown = ''
    let isTold = false
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      shown += text
      if (!isTold && shown.includes('"tag 104"')) {
        isTold = true
        await makeTag('now')
      }
      if (shown.includes('"now"')) child.kill('SIGINT')
    }
    await child.exited
    expect(child.signalCode).toBe('SIGINT')
    const sequences = parsed(shown).map(({ sequence }) => sequence)
    expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b))
    expect(namesOf(parsed(shown)).slice(0, 2)).toEqual(['tag 0', 'tag 1'])
  })
})

describe('links bulk', () => {
  const create = (slug: string) => ({ op: 'create', link: { destination_url: URL, slug } })
  function file(name: string, operations: object[]): string {
    const path = join(folder, name)
    const lines = operations.map((each) => JSON.stringify(each))
    writeFileSync(path, name.endsWith('.json') ? `[${lines.join(',\n')}]` : lines.join('\n'))
    return path
  }
  interface Done {
    succeeded: number
    failed: number
    errors: { index: number; error: { code: string; details: { field: string }[] } }[]
  }

  test('sends any number of operations, and reports refusals by their line in the file', async () => {
    const operations = Array.from({ length: 1_100 }, (_, n) => create(`bulk-${n}`))
    operations[1_050] = create('bulk-7')
    const path = file('many.ndjson', operations)
    const { status, stdout, stderr } = await run(['links', 'bulk', path, '--json'])
    expect([status, stderr]).toEqual([1, ''])
    const done = JSON.parse(stdout) as Done
    expect([done.succeeded, done.failed]).toEqual([1_099, 1])
    expect(done.errors).toMatchObject([
      { index: 1_050, error: { code: 'SLUG_TAKEN', details: [{ field: 'link.slug' }] } },
    ])
    const told = await run(['links', 'bulk', path, '--skip', '1050'])
    expect([told.status, told.stderr]).toEqual([1, ''])
    expect(told.stdout).toContain('operation 1050: link.slug')
  })

  test('splits requests about links that are too large for one', async () => {
    const create = { op: 'create', link: bigLink({ external_id: 'big' }) }
    const titles = Array.from({ length: 300 }, (_, n) => ({
      ...{ op: 'update', external_id: 'big', link: { title: `Title ${n}` } },
    }))
    titles[250] = { op: 'update', external_id: 'none', link: { title: '' } }
    const path = file('large.ndjson', [create, ...titles])
    const { status, stdout, stderr } = await run(['links', 'bulk', path, '--json'])
    expect([status, stderr]).toEqual([1, ''])
    const done = JSON.parse(stdout) as Done
    expect([done.succeeded, done.failed, done.errors[0]?.index]).toEqual([300, 1, 251])
    expect(await linksOf('external_id=big')).toMatchObject([{ title: 'Title 299', version: 300 }])
    expect((await refusal(['links', 'bulk', path, '--atomic'])).details).toMatchObject([
      { field: 'operations', code: 'TOO_MANY' },
    ])
  })

  test('reads JSON lists and stdin, optionally atomic', async () => {
    const list = file('list.json', [create('list-1'), { op: 'delete', id: 'lnk_none' }])
    expect((await refusal(['links', 'bulk', list, '--atomic'])).code).toBe('BULK_FAILED')
    expect(await linksOf('slug=list-1')).toEqual([])
    const stdin = `${JSON.stringify(create('from-stdin'))}\n`
    expect(await ask<Done>(['links', 'bulk', '-'], { stdin })).toMatchObject({ succeeded: 1 })
    const many = Array.from({ length: 1_001 }, (_, n) => create(`atomic-${n}`))
    const tooMany = file('atomic.ndjson', many)
    expect((await refusal(['links', 'bulk', tooMany, '--atomic'])).status).toBe(2)
    expect(await linksOf('search=atomic-')).toEqual([])
  })

  test('invalid operations are reported before anything is sent', async () => {
    const broken = join(folder, 'broken.ndjson')
    writeFileSync(broken, `${JSON.stringify(create('broken'))}\n{"op":`)
    expect((await refusal(['links', 'bulk', broken])).message).toContain('Operation 1')
    expect(await linksOf('slug=broken')).toEqual([])
    expect((await refusal(['links', 'bulk', file('empty.json', [])])).status).toBe(2)
    expect((await refusal(['links', 'bulk', join(folder, 'none')])).status).toBe(2)
  })
})

test('webhooks are managed, and their secret is shown once', async () => {
  const scopes = 'webhooks:read,webhooks:write'
  const { key } = await slugline.createKey({ workspace: 'hooks', scopes })
  const more = { SLUGLINE_API_KEY: key, SLUGLINE_URL: slugline.url }
  const webhooks = async (...args: string[]) => {
    const { status, stdout, stderr } = await run(['webhooks', ...args, '--json'], { more })
    expect([status, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }
  const made = await webhooks('create', 'https://hooks.invalid/hook', '--types', 'link.created')
  expect(made).toMatchObject({ types: ['link.created'], status: 'ok' })
  expect(made.secret).toMatch(/^whsec_/)
  const { data } = await webhooks('list')
  expect([data.length, data[0].id, 'secret' in data[0]]).toEqual([1, made.id, false])
  expect((await webhooks('rotate-secret', made.id)).secret).not.toBe(made.secret)
  expect((await webhooks('test', made.id)).data).toHaveLength(1)
  expect((await webhooks('deliveries', made.id)).data).toHaveLength(1)
  expect((await webhooks('replay', made.id)).type).toBe('webhook.replay')
  const since = ['--after', new Date().toISOString()]
  expect((await webhooks('replay', made.id, ...since)).type).toBe('webhook.replay')
  expect((await webhooks('disable', made.id)).status).toBe('disabled')
  const table = await run(['webhooks', 'list'], { more })
  expect(table.stdout).toMatch(/^ID +STATUS +TYPES +URL\nwhk_\w+ +disabled +1 +https:/)
  expect(await webhooks('delete', made.id)).toEqual({ id: made.id })
  const gone = await run(['webhooks', 'show', made.id], { more })
  expect(gone.status).toBe(1)
})
