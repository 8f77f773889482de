import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Slugline, startSlugline } from '../harness/process.ts'

/** Samples of the reference page, as a reader copies them. */
interface Sample {
  section: string
  language: string
  code: string
}

let slugline: Slugline
let directory: string
let samples: Sample[]
let key: string
beforeAll(async () => {
  slugline = await startSlugline()
  directory = mkdtempSync(join(tmpdir(), 'samples-'))
  const scopes = 'links:read,links:write,events:read,domains:read,domains:write,keys:write'
  ;({ key } = await slugline.createKey({ scopes }))
  samples = samplesIn(await (await fetch(`${slugline.url}/docs`)).text())
})
afterAll(async () => {
  await slugline.dispose()
  rmSync(directory, { recursive: true, force: true })
})

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}

function samplesIn(page: string): Sample[] {
  return page.split('<section data-item').flatMap((part) => {
    const section = / id="([^"]+)"/.exec(part)?.[1] ?? ''
    const found = part.matchAll(/<pre class="sample in-(\w+)"[^>]*><code>([\s\S]*?)<\/code>/g)
    return [...found].map(([, language = '', code = '']) => ({
      section,
      language,
      code: code.replaceAll(/&\S+?;/g, (entity) => ENTITIES[entity] ?? entity),
    }))
  })
}

function samplesOf(section: string, language: string): string[] {
  return samples
    .filter((each) => each.section === section && each.language === language)
    .map(({ code }) => code)
}

const PYTHON = Bun.which('python3')

/** Runs a program in the language of a sample; one without an end until its output has what it should. */
async function run(language: string, code: string, until?: (text: string) => boolean) {
  const file = join(directory, `sample.${{ curl: 'sh', typescript: 'ts', python: 'py' }[language]}`)
  writeFileSync(file, code)
  const program = { curl: 'bash', typescript: process.execPath, python: PYTHON ?? '' }[language]
  const child = Bun.spawn([program ?? '', file], {
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', SLUGLINE_API_KEY: key },
    stderr: 'pipe',
    detached: true,
  })
  let out = ''
  for await (const bytes of child.stdout) {
    out += new TextDecoder().decode(bytes)
    if (!until?.(out)) continue
    // With the processes that a shell has started.
    process.kill(-child.pid)
    break
  }
  const failed = (await child.exited) !== 0 && until === undefined
  expect(failed ? await new Response(child.stderr).text() : '').toBe('')
  return out
}

const LANGUAGES = ['curl', 'typescript', ...(PYTHON === null ? [] : ['python'])]

test('every operation has a sample in every language, which is a program', async () => {
  const document = (await (await fetch(`${slugline.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
  expect(operations.length).toBeGreaterThan(90)
  for (const { operationId } of operations) {
    for (const language of ['curl', 'typescript', 'python']) {
      expect({ operationId, of: samplesOf(operationId, language) }).toEqual({
        operationId,
        of: [expect.not.stringMatching(/undefined|\[object|\{id\}/)],
      })
    }
  }
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const list = join(directory, 'samples.json')
  writeFileSync(list, JSON.stringify(samples))
  for (const { language, code } of samples) {
    if (language === 'typescript') transpiler.transformSync(code)
  }
  const curl = samples.filter(({ language }) => language === 'curl').map(({ code }) => code)
  const shell = Bun.spawnSync(['bash', '-n'], { stdin: Buffer.from(curl.join('\n')) })
  expect(shell.stderr.toString()).toBe('')
  if (PYTHON === null) return
  const check = `import ast, json
for each in json.load(open("${list}")):
    if each["language"] == "python":
        ast.parse(each["code"])`
  expect(Bun.spawnSync([PYTHON, '-c', check]).stderr.toString()).toBe('')
})

/** Endpoints whose sample works in a new workspace as it is, with a part of what it prints. */
const RUNNABLE: readonly (readonly [string, string])[] = [
  ['getIndex', 'openapi'],
  ['listPlans', 'free'],
  ['getMe', 'scopes'],
  ['createTag', 'tag_'],
  ['createFolder', 'fld_'],
  ['putLinkByExternalId', 'crm-4711'],
  ['getLinkByExternalId', 'crm-4711'],
  ['updateLinkByExternalId', 'crm-4711'],
  ['listLinks', 'crm-4711'],
  ['getStats', 'series'],
  ['listTopValues', 'data'],
  ['listEvents', 'link.created'],
  ['deleteLinkByExternalId', ''],
]

test.each(LANGUAGES)('samples in %s run', async (language) => {
  for (const [section, expected] of RUNNABLE) {
    const [code = ''] = samplesOf(section, language)
    // An id that another workspace's feed would have, and names that the last language has taken.
    const own = code.replaceAll(/"name": "[^"]+"/g, `"name": "${language}"`)
    const out = await run(language, own)
    expect({ section, out }).toEqual({ section, out: expect.stringContaining(expected) })
  }
})

// The guide in curl reads responses with jq.
const GUIDES = LANGUAGES.filter((language) => language !== 'curl' || Bun.which('jq') !== null)

test.each(GUIDES)('the guide in %s works from the first link to the feed', async (language) => {
  const [create = '', statistics = ''] = samplesOf('quick-start', language)
  expect(await run(language, create)).toContain('short_url')
  expect(await run(language, statistics)).toContain('totals')
  const [retry = ''] = samplesOf('idempotency', language)
  expect(await run(language, retry)).toContain('short_url')
  const [follow = ''] = samplesOf('events', language)
  let isChanging = true
  const changes = (async () => {
    // It starts at the end of the feed, at a moment that this test can't see.
    while (isChanging) {
      await slugline.call('POST', '/api/v1/links', {
        key,
        body: { destination_url: 'https://example.com/' },
      })
      await Bun.sleep(100)
    }
  })()
  const seen = await run(language, follow, (text) => text.includes('link.created'))
  isChanging = false
  await changes
  expect(seen).toContain('link.created')
  const [pages = ''] = samplesOf('pagination', language)
  const { pagination } = (await (
    await slugline.call('GET', '/api/v1/links?limit=1', { key })
  ).json()) as { pagination: { total: number } }
  const small = pages.replaceAll('limit=100', 'limit=2')
  const lines = (await run(language, small)).trim().split('\n')
  expect(new Set(lines).size).toBe(pagination.total)
})

test('a PUT with an Idempotency-Key takes effect once', async () => {
  const put = () =>
    slugline.call('PUT', '/api/v1/links/external/once', {
      key,
      headers: { 'Idempotency-Key': 'put-once' },
      body: { destination_url: 'https://example.com/once' },
    })
  expect((await put()).status).toBe(201)
  const again = await put()
  expect(again.status).toBe(201)
  expect(again.headers.get('Idempotent-Replayed')).toBe('true')
})

test('exactly the endpoints that say so need no key', async () => {
  const document = (await (await fetch(`${slugline.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { security: unknown[] }>>
  }
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, { security }] of Object.entries(item)) {
      const url = slugline.url + path.replaceAll(/\{\w+\}/g, 'x')
      const { status } = await fetch(url, { method })
      const needsKey = status === 401
      expect({ method, path, needsKey }).toEqual({ method, path, needsKey: security.length > 0 })
    }
  }
})
