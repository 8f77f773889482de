import { AppError } from '../errors/index.ts'
import { createHashQueue, type HashQueue } from '../limits/index.ts'
import { SEQS_PER_WORKSPACE, StorageUnavailable } from '../storage/index.ts'
import { noAnswers } from './counts.ts'
import { findSlug } from './find-slug.ts'
import { FORM_BYTES_MAX, readField } from './form.ts'
import { Pages } from './pages.ts'
import { answerReport } from './report.ts'
import { type Closed, conditionOf, type LinkRow } from './resolver.ts'
import { TurnIds } from './turn-ids.ts'
import type { RedirectDeps } from './types.ts'
import { useOnce } from './uses.ts'
import {
  type Destination,
  howOf,
  locationFor,
  methodOf,
  parsePath,
  pathOf,
  Visit,
} from './visit.ts'

/** A link that changes that often during one visit counts as closed for it. */
const REFUSALS_MAX = 3

/** Answers every path that is neither the API's nor the app's. */
export type Redirect = Pick<RedirectHandler, 'counts' | 'fetch'>

export function createRedirect(deps: RedirectDeps): Redirect {
  return new RedirectHandler(deps)
}

/**
 * The hot path. Visits that arrive in one turn of the event loop are answered together: one
 * snapshot of the links, one write to the journal, then all the answers. No visit is answered
 * before its click is written.
 */
class RedirectHandler {
  readonly counts = noAnswers()
  readonly #deps: RedirectDeps
  readonly #pages: Pages
  readonly #hashes: HashQueue
  readonly #turnIds: TurnIds
  #queue: Visit[] = []

  constructor(deps: RedirectDeps) {
    const { baseUrl, requestId, pseudoLocales = false } = deps
    this.#deps = deps
    this.#pages = new Pages({ pseudoLocales, baseUrl, requestId })
    this.#hashes = deps.hashes ?? createHashQueue()
    this.#turnIds = new TurnIds(requestId)
  }

  /** `peer` gives the address at the other end of the connection. Never rejects. */
  fetch(request: Request, peer: () => string): Promise<Response> | Response {
    const { url } = request
    // Without a Host header (HTTP/1.0) there is only the path.
    const hostAt = url.startsWith('/') ? 0 : url.indexOf('//') + 2
    const pathAt = url.indexOf('/', hostAt)
    const queryAt = url.indexOf('?', pathAt)
    const path = url.slice(pathAt + 1, queryAt < 0 ? url.length : queryAt)
    const method = methodOf(request.method)
    if (method === null) return this.#pages.otherMethod(request)
    const domainNo = this.#deps.domainOf(url.slice(hostAt, pathAt))
    const asked = parsePath(path, this.#deps.isCaseSensitive?.(domainNo))
    if (asked === null) {
      if (method === 'POST') return this.#pages.notAllowed(request)
      return path === '' ? this.#pages.home(request) : this.#notFound(request)
    }
    return new Promise<Response>((answer) => {
      this.#enqueue(new Visit(request, peer, method, path, asked, domainNo, answer))
    })
  }

  #enqueue(visit: Visit): void {
    if (this.#queue.push(visit) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const { clock, resolver, recorder } = this.#deps
    const visits = this.#queue
    this.#queue = []
    const now = clock.now()
    this.#turnIds.startTurn()
    let answers: (Response | null)[]
    try {
      resolver.begin()
      answers = visits.map((visit) => this.#decideSafely(visit, now))
    } catch (error) {
      answers = visits.map(({ request }) => this.#failed(request, error))
    }
    resolver.end()
    recorder.commit()
    for (let i = 0; i < answers.length; i++) {
      const answer = answers[i]
      if (answer) visits[i]?.answer(answer)
    }
  }

  #decideSafely(visit: Visit, now: number): Response | null {
    try {
      return this.#decide(visit, now)
    } catch (error) {
      return this.#failed(visit.request, error)
    }
  }

  /** The answer; null when it takes another turn. */
  #decide(visit: Visit, now: number): Response | null {
    const { resolver } = this.#deps
    const { use, fetched } = visit
    if (use !== null) return this.#pass(visit, use, now)
    // A fetched slug is good for one turn: the next one reads it anew.
    visit.fetched = undefined
    const slug = fetched === undefined ? findSlug(resolver, visit) : fetched
    if (slug instanceof Promise) {
      return this.#settle(visit, async () => {
        visit.fetched = await slug
        return null
      })
    }
    if (slug === null) return this.#notFound(visit.request)
    if (slug.block_id !== null) return this.#blocked(visit)
    const { link_seq, target_url } = slug
    if (link_seq === null || target_url === null) return this.#notFound(visit.request)
    if (this.#deps.blocks.covers(visit.domainNo, link_seq, target_url)) {
      return this.#blocked(visit)
    }
    const waitSeconds = this.#takeVisit(visit, link_seq, now)
    if (waitSeconds > 0) {
      this.counts.limited++
      return this.#pages.limited(visit.request, waitSeconds)
    }
    if (slug.special !== 0) {
      const { link } = slug
      return link === null ? this.#notFound(visit.request) : this.#decideSpecial(visit, link, now)
    }
    if (visit.method === 'POST') {
      return visit.preview ? this.#report(visit) : this.#pages.notAllowed(visit.request)
    }
    if (visit.preview) return this.#preview(visit, target_url)
    this.#record(visit, link_seq, now)
    this.counts.redirected++
    return this.#redirect(visit, slug.redirect_status, target_url)
  }

  #redirect({ request }: Visit, status: number, target: string): Response {
    return this.#pages.redirect(request, this.#turnIds.next(), status, target)
  }

  /** See {@link VisitLimit}. A visit that takes several turns is taken once. */
  #takeVisit(visit: Visit, seq: number, now: number): number {
    const { visitLimit, clientAddress } = this.#deps
    if (visitLimit === undefined || visit.unlocked !== null || visit.refusals > 0) return 0
    return visitLimit.take(seq, clientAddress(visit.peer(), visit.headers), now)
  }

  /** A link with conditions. */
  #decideSpecial(visit: Visit, link: LinkRow, now: number): Response | null {
    const { request, method } = visit
    const condition = conditionOf(link, now)
    if (condition !== 'open') return this.#closed(visit, link, condition)
    if (visit.preview && method === 'POST') return this.#report(visit)
    const { password_hash } = link
    if (method === 'POST' && password_hash === null) return this.#pages.notAllowed(request)
    if (password_hash !== null && visit.unlocked !== password_hash) {
      return this.#locked(visit, link.seq, password_hash)
    }
    if (visit.preview)
      return this.#preview(visit, link.max_clicks === null ? locationFor(visit, link) : null)
    if (link.social !== null && this.#deps.recorder.isUnfurler(visit.headers)) {
      this.#record(visit, link.seq, now, link.tracking)
      this.counts.page++
      return this.#pages.social(request, link.social)
    }
    const isLimited = link.max_clicks !== null && method !== 'HEAD'
    if (!isLimited || !this.#deps.recorder.isPerson(visit.headers)) {
      return this.#pass(visit, link, now)
    }
    if (visit.refusals >= REFUSALS_MAX) return this.#closed(visit, link, 'exhausted')
    return this.#settle(visit, () => this.#takeUse(visit, link, now))
  }

  #report(visit: Visit): null {
    return this.#settle(visit, () => answerReport(visit, this.#deps, this.#pages))
  }

  async #takeUse(visit: Visit, { seq, slug }: LinkRow, now: number): Promise<null> {
    const { storage, resolver } = this.#deps
    const use = await useOnce(storage, seq, now)
    if (use === null) {
      visit.refusals++
      resolver.outdated?.(visit.slugKey, visit.domainNo)
    } else visit.use = { ...use, seq, slug }
    return null
  }

  #locked(visit: Visit, seq: number, hash: string): Response | null {
    // Once only: the body is read, and the password may have changed in the meantime.
    if (visit.method === 'POST' && visit.unlocked === null) {
      return this.#settle(visit, () => this.#guess(visit, seq, hash))
    }
    this.counts.page++
    if (visit.preview) return this.#pages.protectedPreview(visit.request, pathOf(visit))
    return this.#pages.password(visit.request, { kind: 'none' })
  }

  async #guess(visit: Visit, seq: number, hash: string): Promise<Response | null> {
    const { request, peer } = visit
    const { guesses, clientAddress, verifyPassword = Bun.password.verify } = this.#deps
    const password = await readField(request, 'password')
    if (password === null) {
      return this.#pages.error(request, 'PAYLOAD_TOO_LARGE', { params: { max: FORM_BYTES_MAX } })
    }
    const address = clientAddress(peer(), request.headers)
    const { allowed, retryAfterSeconds } = await guesses.take(seq, address)
    const workspace = String(Math.floor(seq / SEQS_PER_WORKSPACE))
    const verify = () => verifyPassword(password, hash)
    if (allowed && password !== '' && (await this.#hashes.run('link', workspace, verify))) {
      await guesses.right(seq)
      visit.unlocked = hash
      return null
    }
    this.counts.page++
    if (allowed) return this.#pages.password(request, { kind: 'wrong' })
    return this.#pages.password(request, { kind: 'too_many', retryAfterSeconds })
  }

  /** Continues outside of this turn: `work` gives the answer, or null to decide anew. */
  #settle(visit: Visit, work: () => Promise<Response | null>): null {
    work().then(
      (response) => (response === null ? this.#enqueue(visit) : visit.answer(response)),
      (error) => visit.answer(this.#failed(visit.request, error)),
    )
    return null
  }

  /** Redirects the visitor, and records the click. */
  #pass(visit: Visit, link: Destination, now: number): Response {
    this.#record(visit, link.seq, now, link.tracking)
    const target = locationFor(visit, link)
    this.counts.redirected++
    // 303, or the browser would post the password on to the destination.
    return this.#redirect(visit, visit.method === 'POST' ? 303 : link.redirect_status, target)
  }

  #record(visit: Visit, linkSeq: number, time: number, tracking?: string): void {
    const how = howOf(visit, tracking)
    if (how === null) return
    const { recorder, clientAddress } = this.#deps
    recorder.add(visit, linkSeq, time, clientAddress(visit.peer(), visit.headers), how)
  }

  #closed(visit: Visit, link: LinkRow, condition: Closed): Response {
    const { fallback_url } = link
    const isFollowed = fallback_url !== null && !visit.preview
    if (isFollowed && this.#deps.blocks.hasTarget(fallback_url)) return this.#blocked(visit)
    this.counts[condition === 'scheduled' ? 'not_found' : 'gone']++
    if (isFollowed) {
      const status = visit.method === 'POST' ? 303 : 302
      return this.#redirect(visit, status, new URL(fallback_url).href)
    }
    return this.#pages.closed(visit.request, condition, link.starts_at)
  }

  /** Never the fallback: it is the choice of the one who was blocked. */
  #blocked(visit: Visit): Response {
    this.counts.gone++
    return this.#pages.closed(visit.request, 'blocked', null)
  }

  /** `target` null: the address isn't shown, because each visit of the link counts. */
  #preview(visit: Visit, target: string | null): Response {
    this.counts.page++
    return this.#pages.preview(visit.request, target, pathOf(visit))
  }

  #notFound(request: Request): Response {
    this.counts.not_found++
    return this.#pages.notFound(request)
  }

  #failed(request: Request, error: unknown): Response {
    const isBusy = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'
    const isAway = error instanceof StorageUnavailable
    if (isBusy || isAway) this.counts.unavailable++
    const response =
      isBusy || isAway
        ? this.#pages.unavailable(request)
        : this.#pages.error(request, 'INTERNAL_ERROR')
    if (isBusy) return response
    const request_id = response.headers.get('X-Request-Id')
    this.#deps.logger?.error({ err: error, request_id }, 'A visit could not be answered')
    return response
  }
}
