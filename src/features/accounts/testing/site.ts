import { setSystemTime } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCursors } from '../../../http/cursor.ts'
import { systemClock } from '../../../lib/base/clock.ts'
import { createIds } from '../../../lib/base/ids.ts'
import type { Logger } from '../../../lib/base/logger.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { Secret } from '../../../lib/base/secret.ts'
import { AppError } from '../../../lib/errors/index.ts'
import { createBlockList } from '../../../model/blocks/list.ts'
import { syncDomains } from '../../../model/domains/index.ts'
import { deriveSecrets } from '../../../platform/config/index.ts'
import { createHashQueue } from '../../../platform/limits/index.ts'
import { createMailer } from '../../../platform/mail/mailer.ts'
import type { RenderedMail } from '../../../platform/mail/message.ts'
import type { Storage } from '../../../platform/storage/index.ts'
import { openTestStorage } from '../../../platform/storage/testing/database.ts'
import { createAdministration } from '../../../server/administration.ts'
import { type AppDeps, createApp } from '../../../server/app.ts'
import { createBlocks } from '../../blocks/index.ts'
import { createDomainService } from '../../domains/service.ts'
import { createKeyService } from '../../keys/service.ts'
import { createLinkService, type LinkServiceDeps } from '../../links/index.ts'
import { DEFAULT_PLANS } from '../../plans/defaults.ts'
import { createPlans } from '../../plans/service.ts'
import { createUserService } from '../../users/service.ts'
import { createAccounts, createInvitations, createSendInvitation } from '../index.ts'
import { Browser } from './browser.ts'

/** Settings of a {@link TestSite}. */
export interface SiteOptions {
  baseUrl?: string
  signUp?: 'open' | 'invitation' | 'closed'
  /** Default: everyone. */
  workspaceCreation?: 'owner' | 'everyone'
  /** Default: messages are kept in `letters`. */
  mail?: boolean
  oidcIssuer?: string
  /** See `HandlerDeps.constantMs`; default: 0. */
  constantMs?: number
  /** Wraps the storage that the accounts write to. */
  wrapStorage?: (storage: Storage) => Storage
}

/** A whole instance except redirects and statistics, on a real database, with a fixed clock. */
export type TestSite = Awaited<ReturnType<typeof createSite>>

/** A valid password. */
export const PASSWORD = 'correct horse battery'
const SECRET = 'a secret of more than thirty-two characters'

/** Unavailable statistics: these tests don't use them. */
const AWAY = new Proxy(
  {},
  {
    get: () => async () => {
      throw new AppError('SERVICE_UNAVAILABLE')
    },
  },
)

/** Cheap password hashes, so that the tests don't spend their time on them. */
function hashCheaply(): () => void {
  const { hash } = Bun.password
  Bun.password.hash = ((password: string) =>
    hash(password, { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })) as typeof hash
  return () => {
    Bun.password.hash = hash
  }
}

/** Creates one in a temporary directory. */
export async function createSite(options: SiteOptions = {}) {
  const hashAsUsual = hashCheaply()
  const dir = await mkdtemp(join(tmpdir(), 'slugline-accounts-'))
  const storage = await openTestStorage(dir)
  const seen = options.wrapStorage?.(storage) ?? storage
  const baseUrl = options.baseUrl ?? 'https://s.example'
  let now = Date.UTC(2030, 0, 31, 9)
  setSystemTime(now)
  const clock = systemClock
  const ids = createIds(clock, systemRandom)
  const plans = createPlans(DEFAULT_PLANS)
  const secrets = deriveSecrets(SECRET)
  const letters: RenderedMail[] = []
  const errors: object[] = []
  const warnings: object[] = []
  const quiet = () => {}
  const logger: Logger = {
    debug: quiet,
    info: quiet,
    warn: (fields) => void warnings.push(fields as object),
    error: (fields) => void errors.push(fields as object),
  }
  const domains = await syncDomains(storage, baseUrl, [])
  const cursors = createCursors(secrets.cursors)
  const keys = createKeyService({
    storage,
    clock,
    ids,
    random: systemRandom,
    pepper: secrets.apiKeys,
    plans,
    domains,
  })
  const blocks = createBlocks({
    storage,
    clock,
    ids,
    domains,
    list: createBlockList({ storage, domains, hosts: [] }),
  })
  const links = createLinkService({
    storage,
    clock,
    ids,
    random: systemRandom,
    domains,
    cursors,
    ownHosts: { hosts: domains.hosts, listenPort: 3000, basePort: 443 },
    urlRules: { schemes: ['http', 'https'] },
    blocks: blocks.list,
    changed: quiet,
    countersOutdated: quiet,
  } as Partial<LinkServiceDeps> as LinkServiceDeps)
  const deliver =
    options.mail === false ? null : async (letter: RenderedMail) => void letters.push(letter)
  const mailer = createMailer({ deliver, baseUrl, logger })
  const key = secrets.accounts
  const ownDomains = createDomainService({
    storage,
    clock,
    ids,
    random: systemRandom,
    cursors,
    domains,
    lookUpTxt: async () => ({ found: [], error: null }),
  })
  const administration = createAdministration({
    ownDomains,
    domains,
    storage,
    clock,
    ids,
    random: systemRandom,
    plans,
    cursors,
    keys,
    links,
    logger,
    sendInvitation: createSendInvitation({ mailer, key }),
  })
  const { workspaces } = administration
  const users = createUserService({ storage: seen, clock, ids, random: systemRandom })
  const accounts = createAccounts({
    hashes: createHashQueue(),
    storage: seen,
    clock,
    ids,
    random: systemRandom,
    logger,
    plans,
    users,
    workspaces,
    invitations: createInvitations({
      storage,
      clock,
      invitations: administration.invitations,
      key,
    }),
    mailer,
    key,
    baseUrl,
    signUp: options.signUp ?? 'invitation',
    workspaceCreation: options.workspaceCreation ?? 'everyone',
    oidc:
      options.oidcIssuer === undefined
        ? null
        : {
            issuer: options.oidcIssuer,
            clientId: 'slugline',
            clientSecret: new Secret('the client’s secret'),
            name: 'Example',
          },
    domains: domains.hosts,
    sellsPlans: false,
    constantMs: options.constantMs ?? 0,
  })
  const app = createApp({
    ...({ statistics: AWAY } as unknown as AppDeps),
    ...administration,
    accounts,
    storage: seen,
    clock,
    ids,
    logger,
    authenticate: keys.authenticate,
    clientAddress: (peer) => peer,
    anonymousPerMinute: 6_000,
    baseUrl,
    plans,
    links,
    blocks,
    ownDomains,
  })

  const browser = (address = '192.0.2.1') => new Browser(baseUrl, app, address)
  const newest = () => letters.at(-1)?.text ?? ''

  return {
    baseUrl,
    storage,
    app,
    accounts,
    keys,
    users,
    workspaces,
    ids,
    random: systemRandom,
    /** The limits of the default plan. */
    freeLimits: plans.default.limits,
    /** Sent messages. */
    letters,
    /** Logged errors and warnings. */
    errors,
    warnings,
    /** Advances the clock. */
    pass(ms: number) {
      now += ms
      setSystemTime(now)
    },
    browser,
    /** A browser of the instance's owner, who has the workspace Acme. */
    async owner() {
      const owner = browser()
      const url = new URL((await accounts.openClaim()) ?? '')
      const { body } = await owner.post('/app/api/v1/claim', {
        token: url.hash.slice('#token='.length),
        email: 'Ann@example.com',
        password: PASSWORD,
        name: 'Ann',
        workspace: 'Acme',
      })
      owner.workspace = body.workspace.id
      return owner
    },
    /** A browser of a person with a role in the owner's workspace only. */
    async joined(owner: Browser, role: string) {
      const email = `${role}@example.com`
      await users.create({ email, password: PASSWORD })
      await owner.post('/app/api/v1/invitations', { email, role })
      const guest = browser()
      await guest.signIn(email, PASSWORD)
      const token = /token=([^&\s]+)/.exec(newest())?.[1] ?? ''
      await guest.post('/app/api/v1/invitations/accept', { token })
      await guest.enter()
      return guest
    },
    /** The token in the newest message's link. */
    mailedToken: () => /#token=([^&\s]+)/.exec(newest())?.[1] ?? '',
    async close() {
      setSystemTime()
      hashAsUsual()
      await keys.close()
      await storage.close()
      await rm(dir, { recursive: true })
    },
  }
}
