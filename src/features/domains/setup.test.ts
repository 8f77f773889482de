import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AddressNotAllowed } from '../../platform/outgoing/index.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { createTestDashboard } from '../audit/testing/dashboard.ts'
import { PROOF_PATH, proofOf } from './proof.ts'
import type { Domain } from './schemas.ts'
import type { DomainSetup } from './setup-schemas.ts'

const HOST = 'go.acme.example'
/** The test's instance is at https://s.example. */
const OWN = [
  { type: 'A', value: '203.0.113.7' },
  { type: 'AAAA', value: '2001:db8::7' },
] as const

let app: Awaited<ReturnType<typeof createTestDashboard>>
let key: string
let domain: Domain
let asked: string[]

beforeEach(async () => {
  app = await createTestDashboard()
  const scopes = ['domains:read', 'domains:write']
  const input = { name: 'k', scopes }
  key = (
    await app.storage.write((tx) => app.keys.create(tx, app.workspace.no, input, COMMAND_LINE))
  ).key
  await app.storage.write(({ db }) =>
    db.updateTable('workspaces').set({ plan_id: 'big' }).execute(),
  )
  domain = (await app.withKey(key, 'POST', '/domains', { host: HOST })).body
  app.hosts.set('s.example', [...OWN])
  asked = []
})
afterEach(() => app.close())

async function verify() {
  app.dns.set(domain.verification.name, [domain.verification.value])
  const { body } = await app.withKey(key, 'POST', `/domains/${domain.id}/verify`)
  expect(body.status).toBe('active')
}
const answers = (answer: () => Promise<never> | { status: number; body: string }) => {
  app.sites.answer = async (url) => {
    asked.push(url.href)
    const { status, body } = await answer()
    return { status, body: Buffer.from(body), headers: {}, url }
  }
}
const fails = (error: Error) => answers(() => Promise.reject(error))
const withCode = (code: string) => Object.assign(new Error(code), { code })
const proven = () =>
  answers(() => ({ status: 200, body: `${proofOf(new Uint8Array(32), HOST)}\n` }))

/** The steps of the domain; results are remembered for ten seconds. */
async function setup(): Promise<DomainSetup> {
  app.clock.ms += 10_000
  const { status, body } = await app.withKey(key, 'GET', `/domains/${domain.id}/setup`)
  expect(status).toBe(200)
  return body
}
const stepsOf = ({ verification, dns, certificate, connection, ready }: DomainSetup) => [
  ...[verification, dns, certificate, connection].map(({ status, error }) => error ?? status),
  ready,
]

describe('the setup of a domain', () => {
  test('waits for the verification: the host of somebody else is neither looked up nor asked', async () => {
    proven()
    app.hosts.set(HOST, [{ type: 'A', value: '198.51.100.4' }])
    const found = await setup()
    expect(stepsOf(found)).toEqual(['waiting', 'waiting', 'waiting', 'waiting', false])
    expect([found.dns.found, asked]).toEqual([[], []])
    // What to create is known already.
    expect(found.dns.expected).toEqual([{ type: 'CNAME', value: 's.example' }, ...OWN])
  })

  test('is checked step by step', async () => {
    await verify()
    proven()
    expect(stepsOf(await setup())).toEqual(['done', 'NO_RECORD', 'waiting', 'waiting', false])
    app.hosts.set(HOST, 'ESERVFAIL')
    expect(stepsOf(await setup())).toEqual(['done', 'ESERVFAIL', 'waiting', 'waiting', false])
    expect(asked).toEqual([])

    app.hosts.set(HOST, [{ type: 'A', value: '198.51.100.4' }])
    answers(() => ({ status: 200, body: 'a parked domain' }))
    expect(stepsOf(await setup())).toEqual([
      ...['done', 'ANOTHER_ADDRESS', 'done', 'ANOTHER_SERVER'],
      false,
    ])
    app.hosts.set(HOST, [OWN[0]])
    for (const code of [
      'CERT_HAS_EXPIRED',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR',
    ]) {
      fails(withCode(code))
      const steps = ['done', 'done', 'CERTIFICATE_INVALID', 'waiting', false]
      expect([code, stepsOf(await setup())]).toEqual([code, steps])
    }
    proven()
    expect(stepsOf(await setup())).toEqual(['done', 'done', 'done', 'done', true])
    expect(asked.at(-1)).toBe(`https://${HOST}${PROOF_PATH}`)
    // The record is missing since: links work for some days, but not for good.
    app.dns.clear()
    await app.withKey(key, 'POST', `/domains/${domain.id}/verify`)
    expect(stepsOf(await setup())).toEqual(['RECORD_MISSING', 'done', 'done', 'done', false])
  })

  test('takes a CNAME, and what stands between if this instance answers there', async () => {
    await verify()
    fails(withCode('ETIMEDOUT'))
    app.hosts.set(HOST, [{ type: 'CNAME', value: 'S.example.' }])
    expect((await setup()).dns.status).toBe('done')
    app.hosts.set(HOST, [{ type: 'A', value: '198.51.100.4' }])
    expect((await setup()).dns.error).toBe('ANOTHER_ADDRESS')
    proven()
    expect(stepsOf(await setup())).toEqual(['done', 'done', 'done', 'done', true])
  })

  test('a private address is answered like a dead one', async () => {
    await verify()
    app.hosts.set(HOST, [{ type: 'A', value: '10.0.0.1' }])
    const results: DomainSetup[] = []
    for (const error of [new AddressNotAllowed(), withCode('ECONNREFUSED'), new Error('timeout')]) {
      fails(error)
      results.push({ ...(await setup()), checked_at: '' })
    }
    expect(stepsOf(results[0] as DomainSetup)).toEqual([
      ...['done', 'ANOTHER_ADDRESS', 'waiting', 'UNREACHABLE'],
      false,
    ])
    expect(results).toEqual(results.map(() => results[0] as DomainSetup))
  })

  test('asks the host at most every ten seconds, by however many', async () => {
    await verify()
    proven()
    app.hosts.set(HOST, [OWN[0]])
    const path = `/domains/${domain.id}/setup`
    const first = await setup()
    const more = await Promise.all([1, 2, 3].map(() => app.withKey(key, 'GET', path)))
    expect(more.map(({ body }) => body)).toEqual([first, first, first])
    expect((await app.as('viewer', 'GET', path)).body).toEqual(first)
    expect(asked).toHaveLength(1)
    await setup()
    expect(asked).toHaveLength(2)
  })

  test('is found in its workspace only', async () => {
    const other = await app.withKey(key, 'GET', '/domains/dom_none/setup')
    expect([other.status, other.body.error.code]).toEqual([404, 'DOMAIN_NOT_FOUND'])
  })
})
