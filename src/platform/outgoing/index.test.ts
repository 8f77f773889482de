import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { resolve as pathOf } from 'node:path'
import { file } from 'bun'
import {
  makeAuthority,
  opensslMissing,
  type TestAuthority,
} from '../../../test/harness/certificates.ts'
import { createOutgoing } from './index.ts'

const allowedNetworks = ['127.0.0.0/8', '::1/128']
const to = (...addresses: string[]) => {
  return async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

test('a request without an answer in time fails as a timeout, an aborted one as aborted', async () => {
  const silent = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Promise<Response>(() => {}),
  })
  try {
    const outgoing = createOutgoing({ allowedNetworks })
    const late = outgoing.send(silent.url, { timeoutMs: 20, signal: new AbortController().signal })
    expect(await late.catch(({ name }) => name)).toBe('TimeoutError')
    const ended = new AbortController()
    const aborted = outgoing.send(silent.url, { signal: ended.signal })
    ended.abort()
    expect(await aborted.catch(({ name }) => name)).toBe('AbortError')
    const before = outgoing.send(silent.url, { signal: ended.signal })
    expect(await before.catch(({ name }) => name)).toBe('AbortError')
    const unresolved = createOutgoing({ resolve: () => new Promise(() => {}) })
    const lost = unresolved.send(new URL('http://slow.example/'), { timeoutMs: 20 })
    expect(await lost.catch(({ name }) => name)).toBe('TimeoutError')
  } finally {
    await silent.stop(true)
  }
})

test('hosts that don’t answer hold up no others, and nothing else that the process requests', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      url.endsWith('/silent') ? new Promise<Response>(() => {}) : new Response('here'),
  })
  const ended = new AbortController()
  try {
    const outgoing = createOutgoing({ allowedNetworks })
    const silent = Array.from({ length: 1_000 }, () =>
      outgoing.send(new URL('/silent', server.url), { signal: ended.signal }),
    )
    const settled = Promise.allSettled(silent)
    const { body } = await outgoing.send(server.url)
    expect([body.toString(), await (await fetch(server.url)).text()]).toEqual(['here', 'here'])
    ended.abort()
    await settled
  } finally {
    await server.stop(true)
  }
}, 20_000)

test('the request goes to the checked address, with the name as its host', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => Response.json([request.url, Object.fromEntries(request.headers)]),
  })
  try {
    const url = new URL(`http://one.example:${server.port}/path?a=b`)
    const outgoing = createOutgoing({ allowedNetworks, resolve: to('127.0.0.1') })
    const { body, url: at } = await outgoing.send(url, { headers: { 'X-Own': 'yes' } })
    const [seen, headers] = JSON.parse(body.toString())
    expect([seen, at.href]).toEqual([url.href, url.href])
    expect(headers).toMatchObject({ host: url.host, 'x-own': 'yes', 'user-agent': 'Slugline' })
    // Nothing listens at the first ones.
    const others = createOutgoing({ allowedNetworks, resolve: to('::1', '127.0.0.2', '127.0.0.1') })
    expect((await others.send(url)).status).toBe(200)
    const none = createOutgoing({ allowedNetworks, resolve: to() })
    await expect(none.send(url)).rejects.toThrow()
  } finally {
    await server.stop(true)
  }
})

describe.skipIf(opensslMissing !== undefined)('a host with a certificate', () => {
  let authority: TestAuthority
  beforeAll(() => {
    authority = makeAuthority()
  })
  afterAll(() => authority.dispose())

  /** What a process that trusts the authority gets, by the host's name. Only 127.0.0.1 answers. */
  async function ask(host: string, environment: Record<string, string> = {}) {
    const { key, certificate } = authority.issue('named', 'DNS:one.example')
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { key: file(key), cert: file(certificate) },
      fetch: () => new Response('here'),
    })
    const program = `
      import { createOutgoing } from ${JSON.stringify(pathOf(import.meta.dir, 'index.ts'))}
      const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
      const outgoing = createOutgoing({ allowedNetworks: ['127.0.0.0/8'], resolve })
      const sent = outgoing.send(new URL('https://${host}:${server.port}/'))
      console.log(await sent.then(({ body }) => body.toString(), ({ code }) => code))`
    const child = Bun.spawn([process.execPath, '-e', program], {
      env: { NODE_EXTRA_CA_CERTS: authority.ca, ...environment },
      stderr: 'inherit',
    })
    const text = await child.stdout.text()
    await server.stop(true)
    return text.trim()
  }

  test('needs one of its name', async () => {
    expect(await ask('one.example')).toBe('here')
    expect(await ask('other.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(await ask('127.0.0.1')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('is not asked through a proxy of the environment', async () => {
    const proxy = 'http://127.0.0.1:1/'
    expect(await ask('one.example', { HTTPS_PROXY: proxy, ALL_PROXY: proxy })).toBe('here')
  })
})
