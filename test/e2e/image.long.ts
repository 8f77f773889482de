// The image of deploy/Dockerfile, made and run without Docker: with a read-only root, as its own user,
// without capabilities, and within the limits of deploy/compose.yaml.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { freePort } from '../harness/free-port.ts'
import {
  buildImage,
  type Container,
  containerMissing,
  createContainer,
  type Image,
  makeVolume,
} from '../harness/image.ts'

const ROOT = resolve(import.meta.dir, '../..')
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

interface Service {
  mem_limit: string
  pids_limit: number
  ulimits: { nofile: number }
}
const { services } = Bun.YAML.parse(await Bun.file(join(ROOT, 'deploy/compose.yaml')).text()) as {
  services: { slugline: Service }
}
const { mem_limit, pids_limit, ulimits } = services.slugline
const limits = {
  memoryBytes: Number.parseInt(mem_limit, 10) * 2 ** 30,
  pids: pids_limit,
  files: ulimits.nofile,
}

let image: Image
beforeAll(async () => {
  image = await buildImage()
}, 1_200_000)
afterAll(() => image?.dispose())

/** All files below a directory. */
function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length))
}

test('the image has the program and its libraries, and no shell', () => {
  const files = filesOf(image.root)
  const bytes = files.reduce((sum, file) => sum + statSync(image.root + file).size, 0)
  console.log(`the image: ${files.length} files, ${(bytes / 1e6).toFixed(0)} MB`)
  const others = files.filter((file) => !/^\/(usr\/)?lib(64)?\/.*\.so[.\d]*$/.test(file))
  expect(others.sort()).toEqual([
    '/usr/bin/slugline',
    '/usr/lib/slugline/duckdb.node',
    '/usr/share/doc/slugline/LICENSE',
    '/usr/share/doc/slugline/NOTICE',
  ])
  expect(statSync(join(image.root, image.volume)).mode & 0o7777).toBe(0o700)
  expect(statSync(join(image.root, 'tmp')).mode & 0o7777).toBe(0o1777)
})

/** Runs a program of the image to its end. */
async function ended(container: Container, args: string[], env: Record<string, string> = {}) {
  const child = container.run(args, env)
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { status, stdout, stderr }
}

/** Starts the server, and waits for its line. */
async function started(container: Container) {
  const server = container.run(image.command)
  const errors = new Response(server.stderr).text()
  const reader = server.stdout.getReader()
  const { value } = await reader.read()
  if (value === undefined) throw new Error(await errors)
  reader.releaseLock()
  return server
}

/** What the process may do, as it sees it itself: the runtime inside the program runs this. */
const PROBE = `
const { readFileSync, writeFileSync } = require('node:fs')
const status = readFileSync('/proc/self/status', 'utf8')
const field = (name) => new RegExp('^' + name + ':[ \\\\t]*(.*)$', 'm').exec(status)[1]
const written = ['/', '/usr/bin/', '/var/lib/', '/var/lib/slugline/', '/tmp/'].map((folder) => {
  try { writeFileSync(folder + 'probe', 'x'); return [folder, 'ok'] } catch (e) { return [folder, e.code] }
})
console.log(JSON.stringify({
  uid: process.getuid(), gid: process.getgid(), groups: field('Groups').trim(),
  capabilities: field('CapEff'), noNewPrivileges: field('NoNewPrivs'), written,
}))`

test.skipIf(containerMissing !== undefined)(
  `it serves from its volume, with a read-only root and without rights${containerMissing ? ` (${containerMissing})` : ''}`,
  async () => {
    const data = makeVolume(image)
    const port = await freePort()
    const env = { HOST: '127.0.0.1', PORT: `${port}`, BASE_URL: `http://127.0.0.1:${port}` }
    const container = createContainer(image, { data, env, limits })
    const url = env.BASE_URL
    let server: Awaited<ReturnType<typeof started>> | undefined
    try {
      const probe = await ended(container, ['-e', PROBE], { BUN_BE_BUN: '1' })
      expect(probe.stderr).toBe('')
      const { uid, gid } = image
      expect(JSON.parse(probe.stdout)).toEqual({
        ...{ uid, gid, groups: '', capabilities: '0000000000000000', noNewPrivileges: '1' },
        written: [
          ...['/', '/usr/bin/', '/var/lib/'].map((folder) => [folder, 'EROFS']),
          ...['/var/lib/slugline/', '/tmp/'].map((folder) => [folder, 'ok']),
        ],
      })
      rmSync(join(data, 'probe'))

      const asked = image.health.slice(1)
      expect((await ended(container, asked)).status).toBe(1)
      server = await started(container)
      const states = [asked, ['health']].map(async (args) => (await ended(container, args)).status)
      expect(await Promise.all(states)).toEqual([0, 0])

      const claim = await ended(container, ['users', 'claim-link', '--json'])
      expect(JSON.parse(claim.stdout).url).toStartWith(`${url}/app/`)
      const made = await ended(container, [
        ...['keys', 'create', '--workspace', 'main', '--name', 'first', '--json'],
        ...['--scopes', 'links:read,links:write,stats:read'],
      ])
      const { key } = JSON.parse(made.stdout) as { key: string }
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
      const body = JSON.stringify({ destination_url: 'https://example.com/', slug: 'contained' })
      const link = await fetch(`${url}/api/v1/links`, { method: 'POST', headers, body })
      expect(link.status).toBe(201)
      const visit = () =>
        fetch(`${url}/contained`, { redirect: 'manual', headers: { 'User-Agent': FIREFOX } })
      expect((await visit()).status).toBe(302)
      // By DuckDB's library in the image.
      await eventually('the click is reported', async () => {
        const report = await fetch(`${url}/api/v1/stats/browser`, { headers })
        const { data } = (await report.json()) as { data?: { clicks: number }[] }
        return data?.[0]?.clicks === 1 ? true : undefined
      })
      expect((await fetch(`${url}/app`)).status).toBe(200)
      expect(readdirSync(data).filter((name) => name.startsWith('slugline-'))).toEqual([])

      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
      // A new container on the same volume.
      server = await started(container)
      expect((await visit()).status).toBe(302)
      server.kill('SIGTERM')
      expect(await server.exited).toBe(0)
      expect((await ended(container, asked)).status).toBe(1)
      console.log(`limits of memory and processes enforced: ${container.isLimited}`)
    } finally {
      server?.kill('SIGKILL')
      await server?.exited
      container.dispose()
      rmSync(data, { recursive: true, force: true })
    }
  },
)
