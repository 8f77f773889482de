import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { freePort } from '../harness/free-port.ts'
import { startSlugline } from '../harness/process.ts'

const ROOT = resolve(import.meta.dir, '../..')

/** The commands that a document has for trying out, in order. */
function walkThrough(document: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return [...text.matchAll(/<!-- walk-through -->\n```sh\n([\s\S]*?)```/g)].map(
    ([, commands]) => commands as string,
  )
}

test('the tutorial of the README works unchanged', async () => {
  const slugline = await startSlugline()
  try {
    const blocks = walkThrough('README.md')
    expect(blocks.length).toBeGreaterThan(3)
    const script = blocks.join('\necho "\n=="\n').replaceAll('http://127.0.0.1:3000', slugline.url)
    const run = Bun.spawnSync(['bash', '-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env: slugline.env,
      stderr: 'inherit',
    })
    expect(run.exitCode).toBe(0)
    const [, created, followed, found, refused] = run.stdout.toString().split('\n==\n')
    expect(JSON.parse(created ?? '')).toMatchObject({ slug: 'summer', status: 'active' })
    expect(followed).toContain('302')
    expect(followed?.toLowerCase()).toContain('location: https://example.com/summer')
    expect(JSON.parse(found ?? '')).toMatchObject({ pagination: { total: 1 } })
    expect(JSON.parse(refused ?? '')).toMatchObject({ error: { code: 'VALIDATION_FAILED' } })
  } finally {
    await slugline.dispose()
  }
})

test('the first webhook of the documents arrives and is genuine', async () => {
  const slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.1/32' })
  const script = walkThrough('docs/webhooks.md')
    .join('')
    .replaceAll('4000', String(await freePort()))
    .replaceAll('http://127.0.0.1:3000', slugline.url)
  const receiver = Bun.spawn(['bash', '-euo', 'pipefail', '-c', `${script}\nwait`], {
    cwd: ROOT,
    env: slugline.env,
    detached: true,
  })
  try {
    let text = ''
    for await (const part of receiver.stdout.pipeThrough(new TextDecoderStream())) {
      text += part
      if (/link\.created .*\n/.test(text)) break
    }
    expect(text).toMatch(new RegExp(`^link\\.created ${slugline.url}/autumn \\(evt_\\w+\\)$`, 'm'))
  } finally {
    process.kill(-receiver.pid, 'SIGTERM')
    await slugline.dispose()
  }
})

test('every file and every heading that the documents name exists', () => {
  const documents = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...readdirSync(join(ROOT, 'docs/adr')).map((name) => `docs/adr/${name}`),
  ]
  for (const document of documents) {
    const text = readFileSync(join(ROOT, document), 'utf8')
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)/g)].map((match) =>
      (match[1] as string).replaceAll(/\s/g, ''),
    )
    const paths = [...text.matchAll(/`((?:src|test|bench|scripts|docs|bin)\/[\w./-]+)`/g)].map(
      (match) => match[1] as string,
    )
    for (const link of links) {
      const [file = '', heading] = link.split('#')
      const path = file === '' ? join(ROOT, document) : resolve(ROOT, dirname(document), file)
      expect({ document, link, exists: existsSync(path) }).toMatchObject({ exists: true })
      if (heading === undefined || !path.endsWith('.md')) continue
      expect({ document, headings: headingsOf(path) }).toMatchObject({
        headings: expect.arrayContaining([heading]),
      })
    }
    for (const path of paths) {
      const exists = existsSync(join(ROOT, path))
      expect({ document, path, exists }).toMatchObject({ exists: true })
    }
  }
})

/** A file's headings as links name them. */
function headingsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text]) =>
    (text as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('ARCHITECTURE.md has every folder of the code', () => {
  const map = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `\`${name}/\``)
  expect(folders.filter((name) => !map.includes(name))).toEqual([])
})

test('the index of decision records has every record under its title', () => {
  const index = readFileSync(join(ROOT, 'docs/adr/README.md'), 'utf8')
  for (const name of readdirSync(join(ROOT, 'docs/adr')).filter((name) => name !== 'README.md')) {
    const [, number, title] =
      /^# (\d+)\. (.+)$/m.exec(readFileSync(join(ROOT, 'docs/adr', name), 'utf8')) ?? []
    expect(index).toContain(`| ${number} | [${title}](${name}) |`)
  }
})
