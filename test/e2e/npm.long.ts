// The npm package, installed as a new user would: in an empty folder, with Node.js and npm only.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'

const ROOT = resolve(import.meta.dir, '../..')
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const isOnline = Bun.spawnSync(['npm', 'view', 'bun', 'version']).exitCode === 0

/** What the package and npm use of the system: no compiler, no make, no Python. */
const TOOLS = ['node', 'npm', 'npx', 'sh', 'readlink', 'dirname']

let folder: string
let tarball: string
let env: Record<string, string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-npm-test-'))
  const tools = join(folder, 'tools')
  const home = join(folder, 'home')
  for (const made of [tools, home]) mkdirSync(made)
  for (const name of TOOLS) symlinkSync(Bun.which(name) as string, join(tools, name))
  env = { PATH: tools, HOME: home, npm_config_cache: join(folder, 'cache'), NO_COLOR: '1' }
  const pack = Bun.spawnSync(
    [process.execPath, join(ROOT, 'scripts/package.ts'), '--npm', join(folder, 'packed')],
    { stderr: 'inherit' },
  )
  expect(pack.exitCode).toBe(0)
  const [name = ''] = readdirSync(join(folder, 'packed'))
  tarball = join(folder, 'packed', name)
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package has no workspaces, no scripts, and few dependencies', async () => {
  const files = await new Bun.Archive(await Bun.file(tarball).bytes()).files()
  const manifest = JSON.parse((await files.get('package/package.json')?.text()) ?? '')
  const { version } = await Bun.file(join(ROOT, 'package.json')).json()
  expect(manifest).toMatchObject({ name: 'slugline', version, bin: { slugline: 'bin/slugline' } })
  for (const field of ['private', 'workspaces', 'scripts', 'devDependencies', 'overrides']) {
    expect(Object.keys(manifest)).not.toContain(field)
  }
  expect(Object.keys(manifest.dependencies).sort()).toEqual(['@duckdb/node-bindings', 'bun'])
  console.log(`the npm package: ${(statSync(tarball).size / 1e6).toFixed(1)} MB`)
  for (const name of files.keys()) expect(name).toMatch(/^package\/(bin|dist)\/|^package\/[^/]+$/)
})

test.skipIf(!isOnline)(
  `npx starts it in an empty folder${isOnline ? '' : ' (needs the npm registry)'}`,
  async () => {
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    const port = `${await freePort()}`
    const options = { cwd: empty, env: { ...env, PORT: port }, stderr: 'pipe' } as const
    copyFileSync(tarball, join(empty, 'slugline.tgz'))
    const npx = ['npx', '--yes', './slugline.tgz']
    const server = Bun.spawn(npx, { ...options, stdout: 'pipe' })
    const errors = new Response(server.stderr).text()
    try {
      const { value } = await server.stdout.getReader().read()
      if (value === undefined) throw new Error(await errors)
      const url = `http://127.0.0.1:${port}`
      expect(new TextDecoder().decode(value)).toContain(`listens on ${url}`)
      expect(existsSync(join(empty, 'data/slugline.db'))).toBe(true)
      expect((await fetch(`${url}/app`)).status).toBe(200)

      const made = Bun.spawnSync(
        [
          ...[...npx, 'keys', 'create', '--workspace', 'main', '--name', 'first', '--json'],
          ...['--scopes', 'links:read,links:write,stats:read'],
        ],
        options,
      )
      const { key } = JSON.parse(made.stdout.toString()) as { key: string }
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ destination_url: 'https://example.com/', slug: 'from-npm' })
      const link = await fetch(`${url}/api/v1/links`, { method: 'POST', headers, body })
      expect(link.status).toBe(201)
      const visit = await fetch(`${url}/from-npm`, {
        redirect: 'manual',
        headers: { 'User-Agent': FIREFOX },
      })
      expect([visit.status, visit.headers.get('Location')]).toEqual([302, 'https://example.com/'])
      // DuckDB's library, and the processes that the program starts from itself.
      await eventually('the click is reported', async () => {
        const report = await fetch(`${url}/api/v1/stats/browser`, { headers })
        const { data } = (await report.json()) as { data?: { clicks: number }[] }
        return data?.[0]?.clicks === 1 ? true : undefined
      })
      const found = await fetch(`${url}/api/v1/links?search=from-npm`, { headers })
      expect(await found.json()).toMatchObject({ data: [{ slug: 'from-npm' }] })
    } finally {
      server.kill('SIGTERM')
      await server.exited
    }
  },
)

test.skipIf(!isOnline)('installed in a project, it is a command there', () => {
  const project = join(folder, 'project')
  mkdirSync(project)
  const options = { cwd: project, env }
  const installed = Bun.spawnSync(['npm', 'install', '--no-audit', '--no-fund', tarball], options)
  expect(installed.stderr.toString()).not.toMatch(/deprecated|gyp|ERR/)
  const asked = Bun.spawnSync(['npx', 'slugline', '--version'], options)
  expect(asked.stdout.toString().trim()).toMatch(/^\d+\.\d+\.\d+$/)
})
