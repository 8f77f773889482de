import type { Chosen } from '../clicks/index.ts'
import { AppError } from '../lib/errors/index.ts'
import { createHashQueue, type HashQueue } from '../platform/limits/index.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'
import {
  type AnsweredDecision,
  type Decision,
  decide,
  decideDestination,
  type OpenDecision,
  type SocialDecision,
} from './decision.ts'
import { findSlug, isMiss } from './find-slug.ts'
import { answerGuess, answerReport } from './forms.ts'
import { Pages } from './pages.ts'
import type { ClosedReason, LinkRow, LinkTarget } from './resolver.ts'
import type { InSite } from './sites.ts'
import { TurnIds } from './turn-ids.ts'
import { noAnswers, type RedirectDeps } from './types.ts'
import { createUseOnce } from './uses.ts'
import {
  clickFlags,
  createVisitorFacts,
  locationFor,
  methodOf,
  onlyNearMisses,
  parsePath,
  pathOf,
  usesOne,
  Visit,
} from './visit.ts'

/** A link that changes this often during one visit counts as closed for it. */
const REFUSALS_MAX = 3

/** Handles every path that belongs neither to the API nor to the app. */
export type Redirect = Pick<RedirectHandler, 'counts' | 'fetch'>

export function createRedirect(deps: RedirectDeps): Redirect {
  return new RedirectHandler(deps)
}

/**
 * The hot path. Visits of one event-loop turn are answered together: one snapshot of the links, one
 * write to the journal, then all the responses. No visit is answered before its click is written.
 */
class RedirectHandler {
  readonly counts = noAnswers()
  readonly #deps: RedirectDeps & { hashes: HashQueue; inSite: InSite }
  readonly #pages: Pages
  readonly #facts: ReturnType<typeof createVisitorFacts>
  readonly #turnIds: TurnIds
  readonly #useOnce: ReturnType<typeof createUseOnce>
  #queue: Visit[] = []

  constructor(deps: RedirectDeps) {
    const { baseUrl, requestId, pseudoLocales = false } = deps
    const { hashes = createHashQueue(), inSite = (answer) => answer } = deps
    this.#deps = { ...deps, hashes, inSite }
    this.#pages = new Pages({ pseudoLocales, baseUrl, requestId })
    this.#facts = createVisitorFacts(deps)
    this.#turnIds = new TurnIds(requestId)
    this.#useOnce = createUseOnce(deps.storage)
  }

  /** `peer` returns the address of the connection's peer. Never rejects. */
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
    const asked = parsePath(path, this.#deps.isCaseSensitive?.(domainNo)) ?? onlyNearMisses(path)
    if (asked === null) {
      if (method === 'POST') return this.#pages.notAllowed(request)
      const page =
        path === '' ? this.#pages.home(request, domainNo) : this.#notFound(request, domainNo)
      return this.#deps.inSite(page, request, domainNo)
    }
    return new Promise<Response>((answer) => {
      this.#enqueue(new Visit(request, peer, method, path, asked, domainNo, answer, this.#facts))
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
      answers = visits.map((visit) => {
        try {
          return this.#decide(visit, now)
        } catch (error) {
          return this.#failed(visit.request, error)
        }
      })
    } catch (error) {
      answers = visits.map(({ request }) => this.#failed(request, error))
    }
    resolver.end()
    recorder.commit()
    answers.forEach((answer, i) => {
      if (answer !== null) this.#answer(visits[i] as Visit, answer)
    })
  }

  #answer({ request, domainNo, answer }: Visit, response: Response): void {
    answer(this.#deps.inSite(response, request, domainNo))
  }

  /** The response; null if it needs another turn. */
  #decide(visit: Visit, now: number): Response | null {
    const { use, fetched } = visit
    if (use !== null) return this.#respondToUse(visit, use, now)
    // A fetched slug is valid for one turn: the next one reads it again.
    visit.fetched = undefined
    const slug = fetched === undefined ? findSlug(this.#deps.resolver, visit) : fetched
    if (slug instanceof Promise) {
      return this.#continueLater(visit, async () => {
        visit.fetched = await slug
        return null
      })
    }
    if (isMiss(slug) && visit.readAgain(this.#deps)) return this.#decide(visit, now)
    const { explain } = this.#deps
    const decision = decide(slug, visit, now, this.#deps, explain?.trace)
    explain?.decided(decision, visit)
    if (decision.kind === 'not_found') return this.#notFound(visit.request, visit.domainNo)
    if (decision.kind === 'blocked') return this.#blocked(visit)
    const waitSeconds = this.#takeVisit(visit, decision.seq, now)
    if (waitSeconds <= 0) return this.#respond(visit, decision, now)
    this.counts.limited++
    return this.#pages.limited(visit.request, waitSeconds)
  }

  /** See {@link VisitLimit}. A visit over several turns is counted once. */
  #takeVisit(visit: Visit, seq: number, now: number): number {
    const { visitLimit } = this.#deps
    if (visitLimit === undefined || visit.unlocked !== null || visit.refusals > 0) return 0
    return visitLimit.take(seq, visit.address, now)
  }

  #respond(
    visit: Visit,
    decision: Exclude<Decision, { kind: 'not_found' | 'blocked' }>,
    now: number,
  ): Response | null {
    if (decision.kind === 'closed') return this.#closed(visit, decision.link, decision.condition)
    if (visit.method === 'POST') {
      if (visit.preview) {
        return this.#continueLater(visit, () => answerReport(visit, this.#deps, this.#pages))
      }
      if (decision.kind !== 'locked' && visit.unlocked === null) {
        return this.#pages.notAllowed(visit.request)
      }
    }
    if (decision.kind === 'locked') return this.#locked(visit, decision)
    if (decision.kind === 'social') return this.#social(visit, decision, now)
    if (decision.kind === 'answered') return this.#answered(visit, decision)
    const { link } = decision
    const isLimited = link !== null && link.max_clicks != null
    if (visit.preview) {
      this.counts.page++
      // Each visit of a limited link counts, so its destination isn't shown.
      const target = isLimited ? null : locationFor(visit, decision)
      return this.#pages.preview(visit.request, target, pathOf(visit))
    }
    if (!isLimited || !usesOne(this.#deps, visit, decision.seq)) {
      return this.#redirectAndRecord(visit, decision, now)
    }
    if (visit.refusals >= REFUSALS_MAX) return this.#closed(visit, link, 'exhausted')
    return this.#continueLater(visit, () => this.#takeUse(visit, decision.seq, link, now))
  }

  /** One of the link's uses was taken: its state at that moment counts. */
  #respondToUse(visit: Visit, use: LinkTarget & { seq: number }, now: number): Response {
    const decision = decideDestination(use.seq, use, visit, now, this.#deps)
    if (decision.kind === 'blocked') return this.#blocked(visit)
    if (decision.kind === 'answered') return this.#answered(visit, decision)
    return this.#redirectAndRecord(visit, decision, now)
  }

  /** A rule's own response. None of them counts as a click. */
  #answered(visit: Visit, { answer, link }: AnsweredDecision): Response {
    if (answer === 'gone') return this.#closed(visit, { fallback_url: null }, 'expired')
    return answer === 'fallback' && link.fallback_url !== null
      ? this.#closed(visit, link, 'expired')
      : this.#notFound(visit.request)
  }

  async #takeUse(visit: Visit, seq: number, { slug }: LinkTarget, now: number): Promise<null> {
    const use = await this.#useOnce(seq, now)
    if (use === null) {
      visit.refusals++
      this.#deps.resolver.outdated?.(visit.slugKey, visit.domainNo)
    } else visit.use = { ...use, seq, slug }
    return null
  }

  #locked(visit: Visit, locked: { seq: number; hash: string }): Response | null {
    // Only once: the body is consumed, and the password may have changed in the meantime.
    if (visit.method === 'POST' && visit.unlocked === null) {
      return this.#continueLater(visit, async () => {
        const answer = await answerGuess(visit, locked, this.#deps, this.#pages)
        if (answer !== null) this.counts.page++
        return answer
      })
    }
    this.counts.page++
    if (visit.preview) return this.#pages.protectedPreview(visit.request, pathOf(visit))
    return this.#pages.password(visit.request, { kind: 'none' })
  }

  /** Continues after this turn: `work` returns the response, or null to decide again. */
  #continueLater(visit: Visit, work: () => Promise<Response | null>): null {
    work().then(
      (response) => (response === null ? this.#enqueue(visit) : this.#answer(visit, response)),
      (error) => this.#answer(visit, this.#failed(visit.request, error)),
    )
    return null
  }

  /** Redirects the visitor, and records the click. */
  #redirectAndRecord(visit: Visit, open: OpenDecision, now: number): Response {
    this.#record(visit, open, now, open)
    this.counts.redirected++
    return this.#redirect(visit, open.status, locationFor(visit, open))
  }

  #redirect({ request, method, domainNo }: Visit, status: number, location: string): Response {
    // 303, because the browser would otherwise post the password to the destination.
    const sent = method === 'POST' ? 303 : status
    const isIndexed = this.#deps.isIndexed?.(domainNo)
    return this.#pages.redirect(request, this.#turnIds.next(), sent, location, isIndexed)
  }

  /** The response for services that show link previews in messages. */
  #social(visit: Visit, social: SocialDecision, now: number): Response {
    this.#record(visit, social, now)
    this.counts.page++
    return this.#pages.social(visit.request, social.link.social)
  }

  #record(
    visit: Visit,
    { seq, link }: { seq: number; link: Pick<LinkTarget, 'tracking'> | null },
    time: number,
    chosen?: Chosen,
  ): void {
    const how = clickFlags(this.#deps, visit, seq, link?.tracking)
    if (how !== null) this.#deps.recorder.add(visit, seq, time, how, chosen)
  }

  #closed(
    visit: Visit,
    { fallback_url, starts_at = null }: Pick<LinkTarget, 'fallback_url'> & Partial<LinkRow>,
    condition: ClosedReason,
  ): Response {
    const isFollowed = fallback_url !== null && !visit.preview
    if (isFollowed && this.#deps.blocks.hasTarget(fallback_url)) return this.#blocked(visit)
    this.counts[condition === 'scheduled' ? 'not_found' : 'gone']++
    if (isFollowed) return this.#redirect(visit, 302, new URL(fallback_url).href)
    return this.#pages.closed(visit.request, condition, starts_at)
  }

  /** Never the fallback, which was chosen by the blocked owner. */
  #blocked({ request }: Visit): Response {
    this.counts.gone++
    return this.#pages.closed(request, 'blocked', null)
  }

  /** @param domainNo where no link has the path; absent: a link answers this itself */
  #notFound(request: Request, domainNo?: number): Response {
    if (domainNo !== undefined) this.#deps.missed?.(request, domainNo)
    this.counts.not_found++
    return this.#pages.notFound(request)
  }

  #failed(request: Request, error: unknown): Response {
    const isBusy = error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE'
    const isUnavailable = isBusy || error instanceof StorageUnavailable
    if (isUnavailable) this.counts.unavailable++
    const response = isUnavailable
      ? this.#pages.unavailable(request)
      : this.#pages.error(request, 'INTERNAL_ERROR')
    if (isBusy) return response
    const request_id = response.headers.get('X-Request-Id')
    this.#deps.logger?.error({ err: error, request_id }, 'A visit could not be answered')
    return response
  }
}
