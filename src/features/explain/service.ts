import { clicksThisMonth } from '../../clicks/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Locale } from '../../lib/i18n/index.ts'
import type { Domains } from '../../model/domains/index.ts'
import type { PlanLimits } from '../../model/plans/types.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'
import {
  createFetchSlug,
  createRedirect,
  type Decision,
  type Redirect,
  type RedirectDeps,
  type Resolver,
  type SlugRow,
  type Visit,
} from '../../redirect/index.ts'
import type { Trace } from '../../redirect/rules/index.ts'
import type { Link, LinkService } from '../links/index.ts'
import { effectsOf, type Quota } from './effects.ts'
import type { DescribedVisitor, Explanation } from './schemas.ts'
import { type Finding, messageOf } from './words.ts'

/** Dependencies of explanations: those of redirects. */
export interface ExplainDeps
  extends Omit<RedirectDeps, 'resolver' | 'storage' | 'guesses' | 'report' | 'visitLimit'> {
  storage: Pick<Storage, 'read' | 'write'>
  links: Pick<LinkService, 'get'>
  domains: Pick<Domains, 'knownTo'>
  clock: Clock
}

/** The caller, who can't see links of other workspaces. */
type Caller = Parameters<LinkService['get']>[0] & {
  workspace: { plan: { limits: Pick<PlanLimits, 'clicks_per_month'> } }
}
type Step = Explanation['steps'][number]

/** A person's browser without known properties. */
const PLAIN_AGENT = 'Mozilla/5.0 Browser/1.0'
/** An address for documentation (RFC 5737), so in no country. */
const UNKNOWN_ADDRESS = '192.0.2.1'

/**
 * Explains what the redirect would do with a visitor, by running it with the links that the caller
 * can see, without recording clicks or uses.
 */
export function createExplainService(deps: ExplainDeps) {
  const { storage, links, domains } = deps
  const fetchSlug = createFetchSlug(storage)

  /** Hides links of other workspaces, and those in folders that the caller can't see. */
  async function seen(
    caller: Caller,
    row: SlugRow | null,
  ): Promise<{ row: SlugRow; link: Link } | null> {
    if (row === null || row.link_seq === null) return null
    if (Math.floor(row.link_seq / SEQS_PER_WORKSPACE) !== caller.workspace.no) return null
    const { db } = storage.read
    const found = await db
      .selectFrom('links')
      .select('id')
      .where('seq', '=', row.link_seq)
      .executeTakeFirst()
    try {
      return found === undefined ? null : { row, link: await links.get(caller, found.id) }
    } catch (error) {
      if (error instanceof AppError && error.code === 'LINK_NOT_FOUND') return null
      throw error
    }
  }

  /** The quota of the plan; null: unlimited. */
  async function quotaOf({ workspace }: Caller): Promise<Quota | null> {
    const limit = workspace.plan.limits.clicks_per_month
    if (limit === null) return null
    return { limit, used: await clicksThisMonth(storage, workspace.no, deps.clock.now()) }
  }

  async function explain(
    caller: Caller,
    url: URL,
    visitor: DescribedVisitor,
    locale: Locale,
  ): Promise<Explanation> {
    const found = new Map<number, Link>()
    const isKnown = domains.knownTo(caller.workspace.no, url.host) !== undefined
    let findings: Finding[] = []
    let last: { decision: Decision; visit: Visit } | undefined
    let isDecided = false
    const trace: Trace = (check, passed, expected, actual) => {
      // With a password the link is decided again.
      if (isDecided) findings = []
      isDecided = false
      findings.push({ check, passed, expected, actual })
    }
    const slug = async (key: string, domainNo: number) => {
      const one = await seen(caller, await fetchSlug(key, domainNo))
      if (one !== null) found.set(one.row.link_seq as number, one.link)
      return one?.row ?? null
    }
    const redirect = quietRedirect(deps, visitor, slug, {
      trace,
      decided: (decision, visit) => {
        last = { decision, visit }
        isDecided = true
      },
    })
    const peer = () => visitor.ip ?? UNKNOWN_ADDRESS
    const visit = (password?: string) => redirect.fetch(requestOf(url, visitor, password), peer)
    let response = await visit()
    if (last?.decision.kind === 'locked' && visitor.password !== undefined) {
      response = await visit(visitor.password)
    }
    const { decision } = last ?? {}
    const location = response.headers.get('location')
    findings.unshift({ check: 'domain', passed: isKnown, actual: url.host })
    const answered = { decision, visit: last?.visit, location }
    const counting = { excluded: deps.excluded, quota: await quotaOf(caller) }
    findings.push(...effectsOf(answered, visitor, counting))
    const link = decision !== undefined && 'seq' in decision ? found.get(decision.seq) : undefined
    const isOpen = decision?.kind === 'open'
    return {
      outcome: decision?.kind === 'answered' ? 'answer' : location === null ? 'page' : 'redirect',
      status: response.status,
      location,
      link_id: link?.id ?? null,
      rule: isOpen || decision?.kind === 'answered' ? decision.rule : null,
      variant: isOpen ? decision.variant : null,
      steps: findings.map((finding) => stepOf(locale, finding, link)),
    }
  }

  return {
    /** Explains a visit of any URL. */
    byUrl: (caller: Caller, url: string, visitor: DescribedVisitor, locale: Locale) =>
      explain(caller, withVisitor(new URL(url), visitor), visitor, locale),
    /** Explains a visit of a link's address. @throws AppError LINK_NOT_FOUND */
    async byId(caller: Caller, id: string, visitor: DescribedVisitor, locale: Locale) {
      const { short_url } = await links.get(caller, id)
      return explain(caller, withVisitor(new URL(short_url), visitor), visitor, locale)
    },
  }
}

export type ExplainService = ReturnType<typeof createExplainService>

/** A redirect that counts nothing, and sees only what the caller can see. */
function quietRedirect(
  deps: ExplainDeps,
  visitor: DescribedVisitor,
  slug: Resolver['slug'],
  explained: NonNullable<RedirectDeps['explain']>,
): Redirect {
  const { at, ip = UNKNOWN_ADDRESS } = visitor
  return createRedirect({
    ...deps,
    clock: at === undefined ? deps.clock : { ...deps.clock, now: () => at },
    resolver: { begin() {}, slug, end() {} },
    recorder: {
      ...deps.recorder,
      add() {},
      commit() {},
      isPerson: () => false,
      // Always today's hash: those of other days can't be computed.
      hash: (visit) => deps.recorder.hash(visit, deps.clock.now()),
    },
    clientAddress: () => ip,
    placeOf: placeIn(visitor, deps.placeOf),
    guesses: { take: () => ({ allowed: true, retryAfterSeconds: 1 }), right() {} },
    report: async () => ({ allowed: false, retryAfterSeconds: 1 }),
    explain: explained,
  })
}

/** The described place, or else that of the described address, or else none. */
function placeIn(
  { ip, country, region }: DescribedVisitor,
  placeOf: ExplainDeps['placeOf'],
): ExplainDeps['placeOf'] {
  if (country === undefined && region === undefined && ip !== undefined) return placeOf
  const place = { country: country ?? region?.slice(0, 2) ?? null, region: region ?? null }
  return () => place
}

/** The URL with the visitor's own path and query. */
function withVisitor(url: URL, { path, query }: DescribedVisitor): URL {
  if (path !== undefined && path !== '') {
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${path.replace(/^\//, '')}`
  }
  if (typeof query === 'string') url.search = query
  else if (query !== undefined) {
    const all = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value): [string, string] => [name, value]),
    )
    url.search = String(new URLSearchParams(all))
  }
  return url
}

function requestOf(url: URL, visitor: DescribedVisitor, password?: string): Request {
  const { user_agent = PLAIN_AGENT, language, referrer } = visitor
  const headers = new Headers({ 'user-agent': oneLine(user_agent) })
  if (language !== undefined) headers.set('accept-language', oneLine(language))
  if (referrer !== undefined) headers.set('referer', oneLine(referrer))
  if (password === undefined) return new Request(url.href, { headers })
  return new Request(url.href, { method: 'POST', headers, body: new URLSearchParams({ password }) })
}

/** The text as a valid header value. */
function oneLine(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, ' ').trim()
}

function stepOf(locale: Locale, finding: Finding, link: Link | undefined): Step {
  const { check, passed, expected, actual } = finding
  const message = messageOf(locale, finding, link ?? null)
  // Expected and actual values are reported together.
  const values = expected === undefined && actual === undefined ? {} : { expected, actual }
  return { check, passed, ...values, message }
}
