import { isIP } from 'node:net'
import { createMemo } from '../../lib/base/memo.ts'
import type { Reader } from '../../lib/base/view.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Domains } from '../../model/domains/index.ts'
import { createOpenLimit } from '../../platform/limits/index.ts'
import { createOutgoing, type Outgoing } from '../../platform/outgoing/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { createLookUpHost, type HostAnswer, type HostRecord, type LookUpHost } from './lookup.ts'
import { PROOF_PATH, proofOf } from './proof.ts'
import type { DomainSetup } from './setup-schemas.ts'
import { type DomainRow, findOwned } from './store.ts'

/** Checks at the same time, of a person, of a workspace, and in total. */
const OPEN_EACH = 16
const OPEN_MAX = 128
/** How long a result is given again: a host isn't asked more often, by however many. */
const REPEATED_MS = 10_000
const REMEMBERED = 1_000
/** For the request to the host. */
const TIMEOUT_MS = 5_000
/** A failure is answered no sooner than this, so that its time doesn't reveal what has failed. */
const CONSTANT_MS = 1_000
const ANSWER_BYTES = 256
/** Codes of errors about a certificate, and of handshakes that fail because there is none. */
const OF_CERTIFICATE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/

/** Dependencies of {@link createDomainSetup}. */
export interface DomainSetupDeps {
  storage: Pick<Storage, 'read'>
  clock: { now(): number }
  domains: Pick<Domains, 'hosts' | 'shortUrl'>
  lookUpHost: LookUpHost
  outgoing: Pick<Outgoing, 'send'>
  /** See {@link proofOf}. */
  proofKey: Uint8Array
  constantMs?: number
}

/** Dependencies by configuration: the host is asked where the configured resolvers say that it is. */
export function setupDeps(
  {
    dnsServers,
    outgoingNetworks,
  }: { dnsServers: readonly string[]; outgoingNetworks: readonly string[] },
  secrets: { readonly domains: Uint8Array },
): Pick<DomainSetupDeps, 'lookUpHost' | 'outgoing' | 'proofKey'> {
  const lookUpHost = createLookUpHost(dnsServers)
  const resolve = async (host: string) => {
    const { found } = await lookUpHost(host)
    return found
      .filter(({ type }) => type !== 'CNAME')
      .map(({ type, value }) => ({ address: value, family: type === 'A' ? 4 : 6 }))
  }
  const outgoing = createOutgoing({
    allowedNetworks: outgoingNetworks,
    ...(dnsServers.length > 0 && { resolve }),
  })
  return { lookUpHost, outgoing, proofKey: secrets.domains }
}

type Opener = Parameters<ReturnType<typeof createOpenLimit>['take']>[0]
type Step = DomainSetup['certificate']
type Reached = 'ok' | 'certificate' | 'another' | 'unreachable'

const DONE: Step = { status: 'done', error: null }
const WAITING: Step = { status: 'waiting', error: null }
const failed = (error: string): Step => ({ status: 'failed', error })

export type DomainSetupService = ReturnType<typeof createDomainSetup>

/** Checks from outside what a domain still needs to serve links. */
export function createDomainSetup(deps: DomainSetupDeps) {
  const { clock } = deps
  const limit = createOpenLimit(OPEN_EACH, OPEN_MAX)
  /** By domain and status. */
  const results = createMemo<string, { at: number; setup: Promise<DomainSetup> | null }>(
    REMEMBERED,
    () => ({ at: Number.NEGATIVE_INFINITY, setup: null }),
  )

  async function checked(row: DomainRow, opener: Opener): Promise<DomainSetup> {
    const release = limit.take(opener)
    try {
      return await inspect(deps, row)
    } finally {
      release()
    }
  }

  return {
    /**
     * The steps of a domain, checked now or a moment ago. Only the host of a verified domain is
     * asked: hosts of others stay unknown.
     * @throws AppError DOMAIN_NOT_FOUND, RATE_LIMITED
     */
    async check(caller: Reader & Opener, id: string): Promise<DomainSetup> {
      const row = await findOwned(deps.storage.read, caller.workspace.no, id, caller)
      const result = results(`${row.id} ${row.status}`)
      if (result.setup === null || clock.now() - result.at >= REPEATED_MS) {
        result.at = clock.now()
        const setup = checked(row, caller)
        result.setup = setup
        setup.catch(() => {
          if (result.setup === setup) result.setup = null
        })
      }
      return result.setup
    },
  }
}

async function inspect(deps: DomainSetupDeps, row: DomainRow): Promise<DomainSetup> {
  const { clock, lookUpHost } = deps
  const isVerified = row.status === 'active'
  const expected = await recordsOf(deps)
  const base = {
    host: row.host,
    checked_at: formatTimestamp(clock.now()),
    verification: isVerified ? DONE : row.status === 'failing' ? failed('RECORD_MISSING') : WAITING,
  }
  if (row.status === 'pending') {
    const dns = { ...WAITING, expected, found: [] }
    return { ...base, ready: false, dns, certificate: WAITING, connection: WAITING }
  }
  const found = await lookUpHost(row.host)
  const reached = found.found.length === 0 ? null : await reach(deps, row)
  const { certificate, connection } = stepsOf(reached, deps.domains.shortUrl(row.no, ''))
  const dns = { ...dnsStep(found, expected, reached), expected, found: found.found }
  const ready = isVerified && connection.status === 'done'
  return { ...base, ready, dns, certificate, connection }
}

/** What leads to this instance: the host of its public URL. */
async function recordsOf({ domains, lookUpHost }: DomainSetupDeps): Promise<HostRecord[]> {
  const host = (domains.hosts[0] ?? '').replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family !== 0) return [{ type: family === 4 ? 'A' : 'AAAA', value: host }]
  if (!host.includes('.') || host.endsWith('.localhost')) return []
  const { found } = await lookUpHost(host)
  return [{ type: 'CNAME', value: host }, ...found.filter(({ type }) => type !== 'CNAME')]
}

/** A host behind a network that stands between has other addresses, and works nevertheless. */
function dnsStep(
  { found, error }: HostAnswer,
  expected: readonly HostRecord[],
  reached: Reached | null,
): Step {
  if (reached === 'ok') return DONE
  if (error !== null) return failed(error)
  if (found.length === 0) return failed('NO_RECORD')
  const name = ({ value }: HostRecord) => value.toLowerCase().replace(/\.$/, '')
  const isOurs = found.some((record) =>
    expected.some((own) => own.type === record.type && name(own) === name(record)),
  )
  return isOurs ? DONE : failed('ANOTHER_ADDRESS')
}

function stepsOf(reached: Reached | null, url: string): Record<'certificate' | 'connection', Step> {
  const isPlain = url.startsWith('http:')
  const valid: Step = isPlain ? { status: 'not_needed', error: null } : DONE
  if (reached === 'ok') return { certificate: valid, connection: DONE }
  if (reached === 'another') return { certificate: valid, connection: failed('ANOTHER_SERVER') }
  const waiting = isPlain ? valid : WAITING
  if (reached === null) return { certificate: waiting, connection: WAITING }
  if (reached === 'certificate') {
    return { certificate: failed('CERTIFICATE_INVALID'), connection: WAITING }
  }
  return { certificate: waiting, connection: failed('UNREACHABLE') }
}

/** Asks the host for what only this instance answers. An address that may not be called is like a dead one. */
async function reach(
  { outgoing, domains, proofKey, constantMs = CONSTANT_MS }: DomainSetupDeps,
  { no, host }: DomainRow,
): Promise<Reached> {
  const even = Bun.sleep(constantMs)
  const how = {
    accept: 'text/plain',
    followRedirects: false,
    timeoutMs: TIMEOUT_MS,
    cutAtBytes: ANSWER_BYTES,
  }
  try {
    const url = new URL(PROOF_PATH, domains.shortUrl(no, ''))
    const { status, body } = await outgoing.send(url, how)
    if (status === 200 && body.toString().trim() === proofOf(proofKey, host)) return 'ok'
    return 'another'
  } catch (error) {
    await even
    const { code = '' } = error as { code?: string }
    return OF_CERTIFICATE.test(code) ? 'certificate' : 'unreachable'
  }
}
