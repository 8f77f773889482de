import type { ClientAddress } from '../base/client-address.ts'
import type { Clock } from '../base/clock.ts'
import { hstsOf } from '../base/hsts.ts'
import type { Logger } from '../base/logger.ts'
import { HOW, type Recorder } from '../clicks/index.ts'
import { type Storage, StorageUnavailable } from '../storage/index.ts'
import { type Condition, conditionOf } from './condition.ts'
import { createGate, FORM_BYTES_MAX, readPassword, TooBusy, type VerifyPassword } from './form.ts'
import { createPages } from './pages.ts'
import { parsePath } from './path.ts'
import { fromQrCode, withoutQrMarker } from './qr.ts'
import type { LinkRow, Resolver, SlugRow } from './resolver.ts'
import { withVisitorsQuery } from './target.ts'
import { createTurnIds } from './turn-ids.ts'
import { type Use, useOnce } from './uses.ts'
import { GET, HEAD, type Method, methodOf, POST, pathOf, searchOf, type Visit } from './visit.ts'

/** What the redirect works with. */
export interface RedirectDeps {
  resolver: Resolver
  recorder: Recorder
  storage: Pick<Storage, 'write'>
  clock: Clock
  /** A new request id. */
  requestId: () => string
  /** The number of the short domain behind a host (with its port, if any). */
  domainOf: (host: string) => number
  clientAddress: ClientAddress
  /** Takes one guess at a password from the allowance of a link and an address. */
  takeGuess: (key: string) => Guess | Promise<Guess>
  logger?: Pick<Logger, 'error'>
  verifyPassword?: VerifyPassword
  pseudoLocales?: boolean
  /** The public address. */
  baseUrl: string
}

/** Whether one more guess was left. */
export interface Guess {
  allowed: boolean
  retryAfterSeconds: number
}

/** How often each answer was given since the start, for metrics. */
export interface RedirectCounts {
  redirected: number
  not_found: number
  gone: number
  /** Forms and previews. */
  page: number
  unavailable: number
}

/** Answers every path that is neither the API's nor the app's. */
export interface Redirect {
  readonly counts: Readonly<RedirectCounts>
  /** `peer` gives the address at the other end of the connection. Never rejects. */
  fetch(request: Request, peer: () => string): Promise<Response> | Response
}

/** A link that keeps changing while it is asked for: then it is closed for this visit. */
const REFUSALS_MAX = 3

/**
 * The hot path. Visits that arrive in one turn of the event loop are answered together: one
 * snapshot of the links, one write to the journal, then all the answers. Nothing is answered
 * before its click is written.
 */
export function createRedirect(deps: RedirectDeps): Redirect {
  const { resolver, recorder, storage, clock, requestId, domainOf, clientAddress, logger } = deps
  const hsts = hstsOf(deps.baseUrl)
  const pages = createPages({
    pseudoLocales: deps.pseudoLocales ?? false,
    always: hsts,
    host: new URL(deps.baseUrl).host,
  })
  const verify = createGate(deps.verifyPassword ?? Bun.password.verify)
  const counts: RedirectCounts = { redirected: 0, not_found: 0, gone: 0, page: 0, unavailable: 0 }
  const turnIds = createTurnIds(requestId)
  let queue: Visit[] = []

  function enqueue(visit: Visit): void {
    if (queue.push(visit) === 1) setImmediate(flush)
  }

  function flush(): void {
    const visits = queue
    queue = []
    const now = clock.now()
    turnIds.startTurn()
    const answers: (Response | null)[] = new Array(visits.length)
    let failure: unknown
    try {
      resolver.begin()
    } catch (error) {
      failure = error
    }
    for (let i = 0; i < visits.length; i++) {
      const visit = visits[i] as Visit
      try {
        if (failure !== undefined) throw failure
        answers[i] = decide(visit, now)
      } catch (error) {
        answers[i] = failed(visit.request, error)
      }
    }
    resolver.end()
    recorder.commit()
    for (let i = 0; i < visits.length; i++) {
      const answer = answers[i]
      if (answer) (visits[i] as Visit).answer(answer)
    }
  }

  /** The answer; null when it takes another turn. */
  function decide(visit: Visit, now: number): Response | null {
    const { use } = visit
    if (use !== null) return pass(visit, use.seq, use, now)
    const found =
      visit.fetched === undefined ? resolver.slug(visit.slugKey, visit.domainNo) : fetched(visit)
    if (found instanceof Promise) return later(visit, found)
    const slug = found
    if (slug === null || slug.link_seq === null) return notFound(visit.request)
    if (slug.special === 0) {
      const { target_url } = slug
      if (target_url === null) return notFound(visit.request)
      if (visit.method === POST) return notAllowed(visit.request)
      if (visit.preview) return preview(visit, target_url)
      if (visit.method === GET) record(visit, slug.link_seq, now)
      counts.redirected++
      return redirect(visit, slug.redirect_status, target_url)
    }
    const link = resolver.link(slug)
    return link === null ? notFound(visit.request) : decideSpecial(visit, link, now)
  }

  /** What was waited for counts once: a visit that comes a third time looks anew. */
  function fetched(visit: Visit): SlugRow | null {
    const { fetched: slug = null } = visit
    visit.fetched = undefined
    return slug
  }

  function later(visit: Visit, slug: Promise<SlugRow | null>): null {
    settle(visit, async () => {
      visit.fetched = await slug
      return null
    })
    return null
  }

  function decideSpecial(visit: Visit, link: LinkRow, now: number): Response | null {
    const { request, method } = visit
    const condition = conditionOf(link, now)
    if (condition !== 'open') return closed(visit, link, condition)
    const { password_hash } = link
    if (method === POST && password_hash === null) return notAllowed(request)
    if (password_hash !== null && visit.unlocked !== password_hash) {
      // Once only: the body is gone, and the password may have been changed meanwhile.
      if (method === POST && visit.unlocked === null) {
        settle(visit, () => guess(visit, link.seq, password_hash))
        return null
      }
      counts.page++
      const id = requestId()
      if (visit.preview) return pages.protectedPreview(request, id, pathOf(visit))
      return pages.password(request, id, { kind: 'none' })
    }
    if (visit.preview) return preview(visit, link.target_url)
    if (link.max_clicks === null || method === HEAD || !recorder.isPerson(visit.headers)) {
      return pass(visit, link.seq, link, now)
    }
    if (visit.refusals >= REFUSALS_MAX) return closed(visit, link, 'exhausted')
    settle(visit, async () => {
      const use = await useOnce(storage, link.seq, now)
      if (use === null) {
        visit.refusals++
        resolver.outdated?.(visit.slugKey, visit.domainNo)
      } else visit.use = { ...use, seq: link.seq }
      return null
    })
    return null
  }

  /** Sends the visitor on, and takes it down. */
  function pass(visit: Visit, seq: number, link: Use, now: number): Response {
    if (visit.method !== HEAD) record(visit, seq, now)
    const target = link.forward_query
      ? withVisitorsQuery(link.target_url, withoutQrMarker(searchOf(visit.url)))
      : link.target_url
    counts.redirected++
    // See Other, or the browser would post the password on to the destination.
    return redirect(visit, visit.method === POST ? 303 : link.redirect_status, target)
  }

  function record(visit: Visit, linkSeq: number, time: number): void {
    const address = clientAddress(visit.peer(), visit.headers)
    const how = visit.method === POST ? HOW.password : 0
    recorder.add(visit, linkSeq, time, address, fromQrCode(visit.url) ? how | HOW.qr : how)
  }

  function closed(visit: Visit, link: LinkRow, condition: Exclude<Condition, 'open'>): Response {
    counts[condition === 'scheduled' ? 'not_found' : 'gone']++
    if (link.fallback_url !== null && condition !== 'blocked' && !visit.preview) {
      return redirect(visit, visit.method === POST ? 303 : 302, new URL(link.fallback_url).href)
    }
    return pages.closed(visit.request, requestId(), condition, link.starts_at)
  }

  /** Goes on outside of this turn: `work` gives the answer, or null to be decided anew. */
  function settle(visit: Visit, work: () => Promise<Response | null>): void {
    work().then(
      (response) => (response === null ? enqueue(visit) : visit.answer(response)),
      (error) => visit.answer(failed(visit.request, error)),
    )
  }

  async function guess(visit: Visit, seq: number, hash: string): Promise<Response | null> {
    const { request, peer } = visit
    const password = await readPassword(request)
    if (password === null) {
      return pages.error(request, requestId(), 'PAYLOAD_TOO_LARGE', { max: FORM_BYTES_MAX })
    }
    const { allowed, retryAfterSeconds } = await deps.takeGuess(
      `${seq} ${clientAddress(peer(), request.headers)}`,
    )
    if (allowed && password !== '' && (await verify(password, hash))) {
      visit.unlocked = hash
      return null
    }
    counts.page++
    const attempt = allowed
      ? ({ kind: 'wrong' } as const)
      : ({ kind: 'too_many', retryAfterSeconds } as const)
    return pages.password(request, requestId(), attempt)
  }

  function preview(visit: Visit, target: string): Response {
    counts.page++
    return pages.preview(visit.request, requestId(), target, pathOf(visit))
  }

  function notFound(request: Request): Response {
    counts.not_found++
    return pages.notFound(request, requestId())
  }

  function notAllowed(request: Request): Response {
    const allowed = ['GET', 'HEAD', 'OPTIONS']
    const headers = { Allow: allowed.join(', ') }
    return pages.error(request, requestId(), 'METHOD_NOT_ALLOWED', { allowed }, headers)
  }

  function failed(request: Request, error: unknown): Response {
    const id = requestId()
    if (!(error instanceof TooBusy)) {
      logger?.error({ err: error, request_id: id }, 'A visit could not be answered')
    }
    if (error instanceof StorageUnavailable || error instanceof TooBusy) {
      counts.unavailable++
      return pages.unavailable(request, id)
    }
    return pages.error(request, id, 'INTERNAL_ERROR')
  }

  /** The body is for the few that show it: whoever takes HTML gets a link (RFC 9110 §15.4). */
  function redirect({ headers: asked }: Visit, status: number, location: string): Response {
    const caching = status === 301 || status === 308 ? PERMANENT : TEMPORARY
    if (!asked.get('accept')?.includes('text/html')) {
      return new Response(null, {
        status,
        headers: {
          Location: location,
          'X-Request-Id': turnIds.next(),
          ...caching,
          ...hsts,
        },
      })
    }
    const text = Bun.escapeHTML(location)
    return new Response(`<a href="${text}">${text}</a>`, {
      status,
      headers: {
        Location: location,
        'Content-Type': 'text/html; charset=utf-8',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': turnIds.next(),
        ...caching,
        ...hsts,
      },
    })
  }

  return {
    counts,
    fetch(request, peer) {
      const { url, method } = request
      // Without a Host header (HTTP/1.0) there is only the path.
      const hostAt = url.startsWith('/') ? 0 : url.indexOf('//') + 2
      const pathAt = url.indexOf('/', hostAt)
      const queryAt = url.indexOf('?', pathAt)
      const path = url.slice(pathAt + 1, queryAt < 0 ? url.length : queryAt)
      const code = methodOf(method)
      if (code === null) return otherMethod(request)
      const slug = parsePath(path)
      if (slug === null) return noSlug(request, path, code)
      const { slugKey, preview } = slug
      const domainNo = domainOf(url.slice(hostAt, pathAt))
      return new Promise<Response>((answer) => {
        enqueue({
          request,
          url,
          headers: request.headers,
          peer,
          method: code,
          slugKey,
          preview,
          domainNo,
          answer,
          unlocked: null,
          use: null,
          refusals: 0,
          fetched: undefined,
        })
      })
    },
  }

  function otherMethod(request: Request): Response {
    if (request.method !== 'OPTIONS') return notAllowed(request)
    const headers = { Allow: 'GET, HEAD, OPTIONS', 'X-Request-Id': requestId(), ...hsts }
    return new Response(null, { status: 204, headers })
  }

  function noSlug(request: Request, path: string, method: Method): Response {
    if (method === POST) return notAllowed(request)
    return path === '' ? pages.home(request, requestId()) : notFound(request)
  }
}

const TEMPORARY = { 'Cache-Control': 'private, no-store' } as const
/** Kept for a while, so it says what the body depends on. */
const PERMANENT = { 'Cache-Control': 'private, max-age=90', Vary: 'Accept' } as const
