import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import { type Locale, translate } from '../i18n/index.ts'
import type { LinkService } from '../links/index.ts'
import {
  createFetchSlug,
  createRedirect,
  type Redirect,
  type RedirectDeps,
  type SlugRow,
} from '../redirect/index.ts'
import type { Trace } from '../rules/index.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../storage/index.ts'
import type { DescribedVisitor, Explanation } from './schemas.ts'

/** What explanations are made with: what redirects are. */
export interface ExplainDeps
  extends Omit<RedirectDeps, 'resolver' | 'storage' | 'guesses' | 'report' | 'visitLimit'> {
  storage: Pick<Storage, 'read' | 'write'>
  links: Pick<LinkService, 'get'>
  clock: Clock
  /** Gives a redirect the pages of domains. */
  inSites?: (redirect: Redirect) => Redirect
}

/** The caller: links of other workspaces don't exist for them. */
type Caller = Parameters<LinkService['get']>[0]
type Step = Explanation['steps'][number]

/** A person's browser of which nothing is known. */
const PLAIN_AGENT = 'Mozilla/5.0 Browser/1.0'

/**
 * Says what the redirect would do with a visitor, by letting it: one that sees only the caller's
 * links, keeps no click and takes no use.
 */
export function createExplainService(deps: ExplainDeps) {
  const { storage, links, inSites = (redirect) => redirect } = deps
  const fetchSlug = createFetchSlug(storage)

  /** Links of others, and of folders that the caller doesn't see, are none. */
  async function seen(caller: Caller, row: SlugRow | null): Promise<SlugRow | null> {
    if (row === null || row.link_seq === null) return null
    if (Math.floor(row.link_seq / SEQS_PER_WORKSPACE) !== caller.workspace.no) return null
    const id = await idOf(row.link_seq)
    try {
      if (id !== undefined) await links.get(caller, id)
    } catch (error) {
      if (error instanceof AppError && error.code === 'LINK_NOT_FOUND') return null
      throw error
    }
    return row
  }

  async function idOf(seq: number): Promise<string | undefined> {
    const { db } = storage.read
    const found = await db
      .selectFrom('links')
      .select('id')
      .where('seq', '=', seq)
      .executeTakeFirst()
    return found?.id
  }

  async function explain(
    caller: Caller,
    url: URL,
    visitor: DescribedVisitor,
    locale: Locale,
  ): Promise<Explanation> {
    const steps: Step[] = []
    const trace: Trace = (check, passed, expected, actual) => {
      // With a password the link is looked at twice.
      if (check === 'slug' || (check === 'block' && !passed)) steps.length = 0
      const message = wordsOf(locale, check, passed)
      steps.push({ check, passed, ...(expected !== undefined && { expected, actual }), message })
    }
    const decided: Parameters<NonNullable<RedirectDeps['explain']>['decided']>[0][] = []
    const { ip = '192.0.2.1' } = visitor
    const redirect = inSites(
      createRedirect({
        ...deps,
        storage,
        clock:
          visitor.at === undefined
            ? deps.clock
            : { ...deps.clock, now: () => visitor.at as number },
        resolver: {
          begin() {},
          slug: async (key, domainNo) => seen(caller, await fetchSlug(key, domainNo)),
          end() {},
        },
        recorder: {
          ...deps.recorder,
          add() {},
          commit() {},
          isPerson: () => false,
          // Always today's hash: those of other days can't be computed.
          hash: (headers, _, address) => deps.recorder.hash(headers, deps.clock.now(), address),
        },
        clientAddress: () => ip,
        placeOf: placeIn(visitor, deps.placeOf),
        guesses: { take: () => ({ allowed: true, retryAfterSeconds: 1 }), right() {} },
        report: async () => ({ allowed: false, retryAfterSeconds: 1 }),
        explain: { trace, decided: (decision) => void decided.push(decision) },
      }),
    )
    const visit = (password?: string) => redirect.fetch(requestOf(url, visitor, password), () => ip)
    let response = await visit()
    if (decided.at(-1)?.kind === 'locked' && visitor.password !== undefined) {
      response = await visit(visitor.password)
    }
    const decision = decided.at(-1)
    const location = response.headers.get('location')
    const isOpen = decision?.kind === 'open'
    const seq = decision !== undefined && 'seq' in decision ? decision.seq : undefined
    return {
      outcome: decision?.kind === 'answered' ? 'answer' : location === null ? 'page' : 'redirect',
      status: response.status,
      location,
      link_id: seq === undefined ? null : ((await idOf(seq)) ?? null),
      rule: isOpen || decision?.kind === 'answered' ? decision.rule : null,
      variant: isOpen ? decision.variant : null,
      steps,
    }
  }

  return {
    /** A visit of any address. */
    byUrl: (caller: Caller, url: string, visitor: DescribedVisitor, locale: Locale) =>
      explain(caller, withVisitor(new URL(url), visitor), visitor, locale),
    /** A visit of a link's address. @throws AppError LINK_NOT_FOUND */
    async byId(caller: Caller, id: string, visitor: DescribedVisitor, locale: Locale) {
      const { short_url } = await links.get(caller, id)
      return explain(caller, withVisitor(new URL(short_url), visitor), visitor, locale)
    },
  }
}

export type ExplainService = ReturnType<typeof createExplainService>

/** The described place, else that of the described address, else none. */
function placeIn(
  { ip, country, region }: DescribedVisitor,
  placeOf: ExplainDeps['placeOf'],
): ExplainDeps['placeOf'] {
  if (country === undefined && region === undefined && ip !== undefined) return placeOf
  const place = { country: country ?? region?.slice(0, 2) ?? null, region: region ?? null }
  return () => place
}

/** The address with the visitor's own path and query. */
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

/** What a header can hold. */
function oneLine(text: string): string {
  return text.replace(/[^\t\x20-\x7e]/g, ' ').trim()
}

function wordsOf(locale: Locale, check: string, passed: boolean): string {
  if (check === 'slug') return translate(locale, passed ? 'explain.slug.yes' : 'explain.slug.no')
  if (check === 'password' && !passed) return translate(locale, 'explain.password.no')
  if (/^rules\[\d+\]$/.test(check)) return translate(locale, 'explain.rule')
  if (check.endsWith('variants')) return translate(locale, 'explain.split')
  return translate(locale, passed ? 'explain.yes' : 'explain.no', { check })
}
