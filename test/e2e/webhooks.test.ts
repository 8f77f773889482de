import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

/** The prefix of an Ed25519 public key in DER (RFC 8410): its 32 bytes follow. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

interface Received {
  headers: Record<string, string>
  body: string
}

describe('a webhook’s requests', () => {
  let slugline: Slugline
  let key: string
  let receiver: ReturnType<typeof Bun.serve>
  let webhook: { id: string; secret: string; public_key: string }
  const got: Received[] = []

  beforeAll(async () => {
    slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
    ;({ key } = await slugline.createKey({
      scopes: 'links:read,links:write,events:read,webhooks:read,webhooks:write',
    }))
    receiver = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        got.push({ headers: request.headers.toJSON(), body: await request.text() })
        return new Response('ok')
      },
    })
    const url = `http://127.0.0.1:${receiver.port}/`
    webhook = await call('POST', '/api/v1/webhooks', { url, types: ['link.created'] })
  }, 60_000)
  afterAll(async () => {
    await receiver?.stop(true)
    await slugline?.dispose()
  })

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await slugline.call(method, path, { key, body })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
  /** The request for a new link. */
  async function next(): Promise<Received> {
    const before = got.length
    await call('POST', '/api/v1/links', { destination_url: 'https://example.com/é' })
    return await eventually('the request', () => got[before])
  }
  const signaturesOf = ({ headers }: Received, version: string) =>
    (headers['webhook-signature'] ?? '')
      .split(' ')
      .filter((one) => one.startsWith(`${version},`))
      .map((one) => one.slice(version.length + 1))

  test('are verified by the library of Standard Webhooks, and a changed body is not', async () => {
    const received = await next()
    const verifier = new Webhook(webhook.secret)
    expect(verifier.verify(received.body, received.headers)).toMatchObject({
      type: 'link.created',
      id: received.headers['webhook-id'],
    })
    const changed = received.body.replace('link.created', 'link.deleted')
    expect(() => verifier.verify(changed, received.headers)).toThrow()
  }, 60_000)

  test('are verified by both secrets after a rotation', async () => {
    const path = `/api/v1/webhooks/${webhook.id}/rotate-secret`
    const rotated = await call<{ secret: string }>('POST', path)
    const received = await next()
    expect(signaturesOf(received, 'v1')).toHaveLength(2)
    for (const secret of [webhook.secret, rotated.secret]) {
      expect(new Webhook(secret).verify(received.body, received.headers)).toBeObject()
    }
  }, 60_000)

  test.skipIf(Bun.which('openssl') === null)(
    'are verified by openssl with the public key, and a changed body is not',
    async () => {
      const { public_key } = await call<{ public_key: string }>(
        'GET',
        `/api/v1/webhooks/${webhook.id}`,
      )
      const received = await next()
      const id = received.headers['webhook-id']
      const signed = `${id}.${received.headers['webhook-timestamp']}.${received.body}`
      const work = mkdtempSync(join(tmpdir(), 'slugline-webhook-'))
      const der = Buffer.concat([SPKI, Buffer.from(public_key.slice('whpk_'.length), 'base64')])
      writeFileSync(join(work, 'key.der'), der)
      const verified = (text: string, signature: string) => {
        writeFileSync(join(work, 'text'), text)
        writeFileSync(join(work, 'signature'), Buffer.from(signature, 'base64'))
        const options = '-pubin -inkey key.der -keyform DER -rawin -in text -sigfile signature'
        const command = ['openssl', 'pkeyutl', '-verify', ...options.split(' ')]
        return Bun.spawnSync(command, { cwd: work, stdout: 'ignore', stderr: 'ignore' }).success
      }
      // After the rotation there are those of both keys.
      const signatures = signaturesOf(received, 'v1a')
      expect(signatures.some((one) => verified(signed, one))).toBe(true)
      expect(signatures.some((one) => verified(`${signed} `, one))).toBe(false)
      rmSync(work, { recursive: true })
    },
    60_000,
  )
})
