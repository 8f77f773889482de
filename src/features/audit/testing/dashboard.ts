import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExcludedNetworks } from '../../../clicks/index.ts'
import { createCursors } from '../../../http/cursor.ts'
import type { Person, Role } from '../../../http/index.ts'
import { createIds } from '../../../lib/base/ids.ts'
import { silentLogger } from '../../../lib/base/logger.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { syncDomains } from '../../../model/domains/index.ts'
import { type Plan, type PlanLimits, UNLIMITED } from '../../../model/plans/types.ts'
import { createHashQueue, createMemoryLimiter } from '../../../platform/limits/index.ts'
import type { Mail } from '../../../platform/mail/message.ts'
import { createOutgoing, type OutgoingAnswer } from '../../../platform/outgoing/index.ts'
import { announcingEvents, createEventSignal } from '../../../platform/storage/index.ts'
import { openTestStorage } from '../../../platform/storage/testing/database.ts'
import { createAdministration } from '../../../server/administration.ts'
import { type AppDeps, createApp } from '../../../server/app.ts'
import { createShareService } from '../../../statistics/shares/service.ts'
import { createShareTokens } from '../../../statistics/shares/tokens.ts'
import { createCallers } from '../../accounts/callers.ts'
import type { Accounts } from '../../accounts/index.ts'
import type { HostRecord } from '../../domains/lookup.ts'
import { createMisses } from '../../domains/misses.ts'
import { createDomainService } from '../../domains/service.ts'
import { createDomainSetup } from '../../domains/setup.ts'
import { createEventService } from '../../events/service.ts'
import { createEventStreams } from '../../events/streams.ts'
import { hiddenFoldersOf } from '../../folders/index.ts'
import { createJobService } from '../../jobs/index.ts'
import { createKeyService } from '../../keys/service.ts'
import { createLinkService } from '../../links/index.ts'
import type { SendInvitation } from '../../members/invitations.ts'
import { permissionsOf } from '../../members/roles.ts'
import { createPlans } from '../../plans/service.ts'
import { createUserService } from '../../users/service.ts'
import type { ReadClicks } from '../../webhooks/clicks.ts'
import { createWebhookServices } from '../../webhooks/index.ts'
import { COMMAND_LINE } from '../types.ts'

const START = Date.UTC(2030, 0, 31, 9)
const PLANS = createPlans([
  planOf('small', { links: 5, api_keys: 2, members: 6, requests_per_minute: 30, burst: 30 }),
  planOf('big', {}),
  planOf('tiny', { domains: 1 }),
])

function planOf(id: string, limits: Partial<PlanLimits>): Plan {
  const price = { amount: 0, currency: 'EUR', interval: 'month' } as const
  return { id, price, limits: { ...UNLIMITED, ...limits }, features: [], default: id === 'small' }
}

export type TestDashboard = Awaited<ReturnType<typeof createTestDashboard>>

/** A response in the form that tests use. */
export interface TestAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any body.
  body: any
}

/**
 * Both APIs on real storage, without accounts: the header `Person` says who is signed in. The
 * workspace `Acme` (plan `small`) has `owner`, `admin`, `member` and `viewer`; `outsider` is in no
 * workspace, and `owner` owns the instance.
 */
export async function createTestDashboard() {
  const dir = await mkdtemp(join(tmpdir(), 'slugline-dashboard-'))
  const eventSignal = createEventSignal()
  const storage = announcingEvents(await openTestStorage(dir), eventSignal.emit)
  const clock = { ms: START, now: () => clock.ms }
  const ids = createIds(clock, systemRandom)
  const random = systemRandom
  const cursors = createCursors('secret')
  const domains = await syncDomains(storage, 'https://s.example', ['go.example'])
  const removed: number[] = []
  const mails: Parameters<SendInvitation>[0][] = []
  const mailbox = { works: false }
  const keys = createKeyService({
    storage,
    clock,
    ids,
    random,
    pepper: new TextEncoder().encode('a pepper of at least thirty-two bytes'),
    plans: PLANS,
    domains,
  })
  const links = createLinkService({
    storage,
    clock,
    ids,
    random,
    cursors,
    domains,
    ownHosts: {
      hosts: domains.hosts,
      ownedAt: domains.ownedAt,
      listenPort: 3000,
      basePort: 443,
    },
    urlRules: { schemes: ['http', 'https'] },
    hashPassword: async (password) => `hash of ${password}`,
    countersOutdated: (seq) => removed.push(seq),
  })
  const dns = new Map<string, string[] | string>()
  const ownDomains = createDomainService({
    storage,
    clock,
    ids,
    random,
    cursors,
    domains,
    async lookUpTxt(name) {
      const answer = dns.get(name) ?? []
      return typeof answer === 'string'
        ? { found: [], error: answer }
        : { found: answer, error: null }
    },
  })
  const misses = createMisses({ storage, clock, cursors, domains })
  const hosts = new Map<string, HostRecord[] | string>()
  const sites: { answer: (url: URL) => Promise<OutgoingAnswer> } = {
    answer: () => Promise.reject(new Error('There is no answer')),
  }
  const domainSetup = createDomainSetup({
    storage,
    clock,
    domains,
    proofKey: new Uint8Array(32),
    constantMs: 0,
    async lookUpHost(name) {
      const answer = hosts.get(name) ?? []
      return typeof answer === 'string'
        ? { found: [], error: answer }
        : { found: answer, error: null }
    },
    outgoing: { send: (url) => sites.answer(url) },
  })
  const administration = createAdministration({
    ownDomains,
    domains,
    storage,
    clock,
    ids,
    random,
    plans: PLANS,
    cursors,
    keys,
    links,
    logger: silentLogger,
    sendInvitation(mail) {
      mails.push(mail)
      return mailbox.works
    },
  })
  const { workspaces } = administration

  const people = ['owner', 'admin', 'member', 'viewer', 'outsider']
  await storage.write(async (tx) => {
    for (const name of people) {
      const named = {
        next: (prefix: string) => (prefix === 'usr' ? `usr_${name}` : ids.next(prefix)),
      }
      const users = createUserService({ storage, clock, random, ids: named })
      await users.insert(tx, {
        email: `${name}@example.com`,
        name,
        passwordHash: 'none',
        emailVerified: true,
        language: null,
      })
    }
  })
  const workspace = await storage.write(async (tx) => {
    const made = await workspaces.create(tx, { name: 'Acme' }, COMMAND_LINE)
    for (const role of people.slice(0, 4)) {
      const user = { id: `usr_${role}`, email: `${role}@example.com` }
      await workspaces.join(tx, made, user, role as Role, COMMAND_LINE)
    }
    return made
  })

  const excluded = createExcludedNetworks(storage)
  const sessions: Accounts['sessions'] = {
    async personOf(headers) {
      const name = headers.get('person')
      if (name === null) return null
      return {
        sessionId: `ses_${name}`,
        userId: `usr_${name}`,
        email: `${name}@example.com`,
        name,
        language: null,
        instanceOwner: name === 'owner',
        confirmedAt: clock.now(),
      } satisfies Person
    },
    async memberOf({ sessionId, userId, email, instanceOwner }, workspaceId) {
      const found = await workspaces.find(workspaceId)
      if (found?.id !== workspaceId) return null
      const member = (await administration.members.list(found.no)).find(
        ({ user_id }) => user_id === userId,
      )
      if (member === undefined) return null
      const scopes = permissionsOf(member.role, instanceOwner)
      return {
        kind: 'session',
        sessionId,
        userId,
        email,
        role: member.role,
        scopes,
        hiddenFolders: await hiddenFoldersOf(storage.read, found.no, { userId, scopes }),
        workspace: {
          no: found.no,
          id: found.id,
          language: found.language,
          plan: PLANS.of(found.plan),
        },
      }
    },
  }
  const shares = createShareService({
    storage,
    clock,
    ids,
    cursors,
    baseUrl: 'https://s.example',
    hashes: createHashQueue(),
    tokens: createShareTokens(new Uint8Array(32)),
  })
  const statistics = {
    domains,
    export: async () => async () => new Response('no clicks').body,
  }
  const events = createEventService({ storage, clock })
  const eventStreams = createEventStreams({ storage, events, eventSignal })
  const callers = createCallers({ storage, plans: PLANS, keys })
  const { callerOf } = callers
  const own = { storage, clock, ids, random, cursors, domains, events, eventSignal, callerOf }
  const logger = { ...silentLogger, warn: console.warn, error: console.error }
  const jobs = createJobService({ ...own, logger, limiter: createMemoryLimiter() })
  const notices: Mail[] = []
  const none: ReadClicks = async (_, { after }) => ({ clicks: [], end: after })
  const clicks = { read: none }
  const hookDeps = {
    ...own,
    jobs,
    logger,
    baseUrl: 'https://s.example',
    outgoing: createOutgoing({ allowedNetworks: ['127.0.0.0/8'] }),
    secrets: { webhooks: new Uint8Array(32).fill(7) },
    mailer: { send: (mail: Mail) => void notices.push(mail) },
    readClicks: (...asked: Parameters<ReadClicks>) => clicks.read(...asked),
  }
  const hooks = createWebhookServices(hookDeps)
  const app = createApp({
    ...administration,
    ...hooks,
    jobs,
    events,
    eventStreams,
    ...{
      storage,
      clock,
      ids,
      links,
      ownDomains,
      domainSetup,
      misses,
      domains,
      excluded,
      shares,
      statistics,
    },
    accounts: { sessions },
    logger: silentLogger,
    authenticate: callers.authenticate,
    clientAddress: (peer: string) => peer,
    anonymousPerMinute: 600,
    baseUrl: 'https://s.example',
    observers: [administration.requestCounts.note],
  } as unknown as AppDeps)

  async function answerOf(response: Response): Promise<TestAnswer> {
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body = isJson ? JSON.parse(text) : text === '' ? null : text
    return { status: response.status, headers: response.headers, body }
  }

  const asked = (person: string, method: string, path: string, init: RequestInit = {}) =>
    app.fetch(
      new Request(`https://s.example/app/api/v1${path}`, {
        ...init,
        method,
        headers: {
          Person: person,
          'Sec-Fetch-Site': 'same-origin',
          'Slugline-Workspace': workspace.id,
          ...init.headers,
        },
      }),
      { peer: '192.0.2.1' },
    )

  return {
    storage,
    clock,
    workspace,
    administration,
    excluded,
    links,
    keys,
    events,
    eventSignal,
    eventStreams,
    hooks,
    hookDeps,
    jobs,
    notices,
    clicks,
    /** Invitations sent; sending fails unless `mailbox.works`. */
    mails,
    mailbox,
    /** DNS: TXT records by name, or an error code. */
    dns,
    /** DNS: where hosts lead, or an error code; and what answers there. */
    hosts,
    sites,
    domains,
    ownDomains,
    misses,
    /** Links that were purged. */
    removed,
    /** Sends a request to `/app/api/v1` as a person of `Acme`. */
    async as(
      person: string,
      method: string,
      path: string,
      body?: object,
      headers: Record<string, string> = {},
    ): Promise<TestAnswer> {
      const init = {
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }
      return answerOf(await asked(person, method, path, init))
    },
    /** A binary response for a person of `Acme`. */
    bytes: async (person: string, path: string): Promise<Uint8Array> =>
      (await asked(person, 'GET', path)).bytes(),
    /** The response to a GET of `/api/v1` with a key, as it is. */
    stream: async (key: string, path: string, headers: Record<string, string> = {}) =>
      app.fetch(
        new Request(`https://s.example/api/v1${path}`, {
          headers: { Authorization: `Bearer ${key}`, ...headers },
        }),
        { peer: '192.0.2.1' },
      ),
    /** Sends a request to `/api/v1` with a key. */
    async withKey(key: string, method: string, path: string, body?: object): Promise<TestAnswer> {
      const request = new Request(`https://s.example/api/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return answerOf(await app.fetch(request, { peer: '192.0.2.1' }))
    },
    /** All entries, oldest first. */
    entries: () => storage.read.db.selectFrom('audit').selectAll().orderBy('seq').execute(),
    async close() {
      await keys.close()
      await storage.close()
      await rm(dir, { recursive: true })
    },
  }
}
