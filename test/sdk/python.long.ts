import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Slugline, startSlugline } from '../harness/process.ts'

const ROOT = resolve(import.meta.dir, '../..')
/** What builds and checks the package. */
const TOOLS = ['hatchling==1.33.0', 'openapi-python-client==0.29.1', 'mypy==2.4.1', 'pytest==9.2.0']

/** What this machine lacks for the package. */
function missing(): string | undefined {
  const isThere = 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'
  if (Bun.which('python3') === null) return 'Python'
  return Bun.spawnSync(['python3', '-c', isThere]).exitCode === 0 ? undefined : 'Python 3.11'
}

/** A copy of the package, so that nothing remains in the checkout. */
const directory = mkdtempSync(join(tmpdir(), 'sdk-python-'))
const source = join(directory, 'sdk/python')
const tools = join(directory, 'tools')
/** Why tests are skipped. */
let lacking = missing()
let wheel = ''
let slugline: Slugline
let key: string

beforeAll(async () => {
  if (lacking === undefined && !(await hasTools())) lacking = 'PyPI'
  if (lacking !== undefined) return
  cpSync(join(ROOT, 'sdk/python'), source, {
    recursive: true,
    filter: (path) => !/_api$|dist$|__pycache__$/.test(path),
  })
  cpSync(join(ROOT, 'openapi.json'), join(directory, 'openapi.json'))
  const dist = join(source, 'dist')
  python('-m', 'pip', 'wheel', '--quiet', '--no-deps', '--no-build-isolation', '-w', dist, source)
  wheel = join(dist, readdirSync(dist).find((name) => name.endsWith('.whl')) ?? '')
  python('-m', 'pip', 'install', '--quiet', `${wheel}[ed25519]`)
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  const scopes = 'links:read,links:write,events:read,webhooks:read,webhooks:write'
  ;({ key } = await slugline.createKey({ scopes, plan: 'unlimited' }))
}, 600_000)
afterAll(async () => {
  await slugline?.dispose()
  rmSync(directory, { recursive: true, force: true })
})

async function hasTools(): Promise<boolean> {
  Bun.spawnSync(['python3', '-m', 'venv', tools])
  const pip = [join(tools, 'bin/pip'), 'install', '--quiet', '--retries', '1', '--timeout', '15']
  return (await Bun.spawn([...pip, ...TOOLS], { stdout: 'ignore', stderr: 'ignore' }).exited) === 0
}

/** Runs a program in a folder, and returns its output; fails with its errors. */
function run(command: string[], cwd = source): string {
  const server = { SLUGLINE_URL: slugline?.url, SLUGLINE_API_KEY: key }
  const env = { ...process.env, ...server, MYPYPATH: join(source, 'src') }
  const child = Bun.spawnSync(command, { cwd, env })
  const output = `${child.stdout}${child.stderr}`
  if (child.exitCode !== 0) throw new Error(`${command.join(' ')}:\n${output}`)
  return String(child.stdout)
}

function python(...args: string[]): string {
  return run([join(tools, 'bin/python'), ...args])
}

/** A test of the package. */
function packageTest(name: string, check: () => void | Promise<void>): void {
  test(name, async () => {
    if (lacking !== undefined) return console.log(`skipped: needs ${lacking}`)
    await check()
  }, 600_000)
}

packageTest('its own tests pass against a real server', () => {
  const output = python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests')
  expect(output).not.toContain('skipped')
})

packageTest('its types are strict, and those of generated methods too', () => {
  const program = `
from slugline import AsyncSlugline, Slugline
from slugline.models import Link, Tag

def sync(client: Slugline) -> None:
    link: Link = client.links.create(destination_url="https://example.com", expires_at=None)
    client.links.create(url="https://example.com")  # type: ignore[call-arg]
    client.links.stats(link.id, interval="year")  # type: ignore[arg-type]
    link.clicks.totl  # type: ignore[attr-defined]
    tags: list[Tag] = list(client.tags.list())
    client.links.delete(link.id, if_match=link.version)

async def asynchronous(client: AsyncSlugline) -> None:
    link: Link = await client.links.get("lnk_1")
    links: list[Link] = [each async for each in client.links.list(tag=["a"])]
    async for event in client.events.follow(after="latest"):
        print(event.sequence + 1)
`
  writeFileSync(join(source, 'usage.py'), program)
  python('-m', 'mypy', 'src/slugline', 'usage.py')
})

packageTest('a new user installs the wheel and runs the first lines of its README', () => {
  const empty = join(directory, 'empty')
  mkdirSync(empty)
  run(['python3', '-m', 'venv', 'venv'], empty)
  run([join(empty, 'venv/bin/pip'), 'install', '--quiet', wheel], empty)
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  const samples = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(
    ([, code]) => code as string,
  )
  const first = (samples[0] ?? '').replace('https://sho.rt', slugline.url)
  expect(first.trim().split('\n').length).toBeLessThanOrEqual(13)
  writeFileSync(join(empty, 'first.py'), first)
  const lines = run([join(empty, 'venv/bin/python'), 'first.py'], empty)
    .trim()
    .split('\n')
  expect(lines[0]).toStartWith(slugline.url)
  expect(lines.at(-1)).toBe('0')
  writeFileSync(
    join(empty, 'second.py'),
    `import os\n${samples[1]?.replace('https://sho.rt', slugline.url)}`,
  )
  expect(run([join(empty, 'venv/bin/python'), 'second.py'], empty)).not.toBe('')
})

packageTest('it has the version of the server, and its types', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(wheel).toEndWith(`slugline-${version}-py3-none-any.whl`)
  const names = python('-m', 'zipfile', '-l', wheel)
  expect(names).toContain('slugline/py.typed')
  expect(names).toContain('slugline/_api/models/link.py')
})
