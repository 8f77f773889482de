import { afterEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BASE_ENV, runCommand, SLUGLINE } from '../harness/process.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A data directory, and the settings of a server on a Unix socket. */
function settings() {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-socket-'))
  folders.push(folder)
  const socket = join(folder, 'slugline.sock')
  const env = {
    ...BASE_ENV,
    ...{ HOST: `unix:${socket}`, BASE_URL: 'https://sho.rt', TRUSTED_PROXIES: '127.0.0.1' },
    SLUGLINE_DATA_DIR: join(folder, 'data'),
    VISITS_PER_ADDRESS_PER_MINUTE: '1',
  }
  return { socket, env }
}

async function start(env: Record<string, string>, ...args: string[]) {
  const server = Bun.spawn([SLUGLINE, 'serve', '--json', ...args], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = new Response(server.stderr).text()
  const { value } = await server.stdout.getReader().read()
  if (value === undefined) throw new Error(await errors)
  return { server, line: JSON.parse(new TextDecoder().decode(value)) as { url: string } }
}

test('a server listens on a Unix socket, which its group can use', async () => {
  const { socket, env } = settings()
  const { server, line } = await start(env)
  try {
    expect(line.url).toBe(`unix:${socket}`)
    expect(statSync(socket).mode & 0o777).toBe(0o660)
    expect((await runCommand(['health'], env)).status).toBe(0)
    const { stdout } = await runCommand(
      [
        ...['keys', 'create', '--workspace', 'main', '--name', 'first', '--json'],
        ...['--scopes', 'links:read,links:write'],
      ],
      env,
    )
    const { key } = JSON.parse(stdout) as { key: string }
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`http://sho.rt${path}`, { ...init, unix: socket, redirect: 'manual' })
    const made = await call('/api/v1/links', {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ destination_url: 'https://example.com/', slug: 'by-socket' }),
    })
    expect(made.status).toBe(201)
    // All clients are on this machine, so the proxy's word for a visitor's address counts.
    const visit = async (address: string) =>
      (await call('/by-socket', { headers: { 'X-Forwarded-For': address } })).status
    expect(await visit('192.0.2.1')).toBe(302)
    expect(await visit('192.0.2.2')).toBe(302)
    expect(await visit('192.0.2.1')).toBe(429)
    const metrics = (headers: Record<string, string>) =>
      fetch('http://localhost/metrics', { unix: socket, headers })
    expect((await metrics({})).status).toBe(200)
    expect((await metrics({ 'X-Forwarded-For': '192.0.2.1' })).status).toBe(404)
  } finally {
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  }
  expect((await runCommand(['health'], env)).status).toBe(1)
})

test('a socket that a killed server has left is used again', async () => {
  const { socket, env } = settings()
  const { server: killed } = await start(env)
  killed.kill('SIGKILL')
  await killed.exited
  expect(existsSync(socket)).toBe(true)
  const { server } = await start(env)
  expect((await fetch('http://localhost/livez', { unix: socket })).status).toBe(200)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})

test('the next server takes the socket over', async () => {
  const { socket, env } = settings()
  const { server: before } = await start(env, '--take-over')
  const { server: after } = await start(env, '--take-over')
  try {
    expect(await before.exited).toBe(0)
    expect(existsSync(socket)).toBe(true)
    expect((await fetch('http://localhost/readyz', { unix: socket })).status).toBe(200)
  } finally {
    after.kill('SIGTERM')
    expect(await after.exited).toBe(0)
  }
})

test('the public URL has to be known, and the path to be absolute', async () => {
  const { env } = settings()
  const { BASE_URL: _, ...without } = env
  for (const settings of [without, { ...env, HOST: 'unix:slugline.sock' }]) {
    const { status, stderr } = await runCommand(['serve', '--json'], settings)
    expect([status, JSON.parse(stderr).error.code]).toEqual([2, 'CONFIGURATION'])
  }
})
