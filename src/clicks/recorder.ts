import { truncateAddress } from '../lib/base/client-address.ts'
import { AGENT_LENGTH, fetchedAhead, isPerson } from './classify.ts'
import type { Journal } from './journal.ts'
import { CLICK_FLAGS, type ClickRecord, encodeRecord, RECORD_VERSION } from './record.ts'
import type { Visitors } from './visitors.ts'

const REFERRER_LENGTH = 1_024
const LANGUAGE_LENGTH = 128
const UTM_LENGTH = 128
const UTM_NAMES = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content']

/** A visit about to be answered with a redirect. */
export interface Visit {
  readonly slugKey: string
  readonly domainNo: number
  readonly headers: Headers
  /** The visit's URL; its `utm_*` parameters are kept. */
  readonly url: string
  /** The visitor's whole address; only its network is kept. */
  readonly address: string
  /** The day's hash of the visitor, kept here once it is known: a split asks for it, and the click. */
  hash?: string | undefined
}

/** What chose a visit's destination; null: the link itself. */
export interface Chosen {
  readonly rule: string | null
  readonly variant: string | null
}

/** Records clicks in a journal before they are answered. `written` is called after each write. */
export function createRecorder(
  journal: Pick<Journal, 'append'>,
  visitors: Visitors,
  written: () => void = () => {},
) {
  let lines = ''
  let records = 0

  function hashOf({ headers, address }: Visit, time: number, userAgent: string): string {
    // Global Privacy Control and its predecessor: counted, but not as unique visitors.
    const unseen = headers.get('sec-gpc') === '1' || headers.get('dnt') === '1'
    return unseen ? '' : visitors.hash(time, address, userAgent)
  }

  return {
    /**
     * Adds a click to those of this event-loop turn.
     * @param time milliseconds since the Unix epoch
     * @param address the visitor's full address; only its network is kept
     * @param how bits of `CLICK_FLAGS` besides those from headers
     */
    add(visit: Visit, linkSeq: number, time: number, how: number, chosen?: Chosen): void {
      const { slugKey, domainNo, headers, url, address } = visit
      const userAgent = agentOf(headers)
      const isBare = (how & CLICK_FLAGS.countOnly) !== 0
      const record: ClickRecord = [
        RECORD_VERSION,
        time,
        linkSeq,
        how | fetchedAhead(headers),
        visit.hash ?? hashOf(visit, time, userAgent),
        userAgent,
        isBare ? '' : truncateAddress(address),
        isBare ? '' : referrerOf(headers.get('referer'), url),
        isBare ? '' : cut(headers.get('accept-language'), LANGUAGE_LENGTH),
        !isBare && url.includes('utm_') ? utmOf(url) : 0,
        slugKey,
        domainNo,
      ]
      if (!isBare && chosen && (chosen.rule ?? chosen.variant) !== null) {
        record.push(chosen.rule ?? '', chosen.variant ?? '')
      }
      lines += encodeRecord(record)
      records++
    },
    /** Writes the turn's clicks; after it they may be answered. Never throws. */
    commit(): void {
      if (records === 0) return
      journal.append(lines, records)
      lines = ''
      records = 0
      written()
    },
    /** The day's hash of a visitor, as in the click; empty: they asked not to be tracked. */
    hash(visit: Visit, time: number): string {
      visit.hash ??= hashOf(visit, time, agentOf(visit.headers))
      return visit.hash
    },
    /** Whether the request is a person's, and so uses up one of a link's `max_clicks`. */
    isPerson: (headers: Headers): boolean => isPerson(fetchedAhead(headers), agentOf(headers)),
  }
}

export type Recorder = ReturnType<typeof createRecorder>

/** In its stored form, so that a click is classified the same now and when it is counted. */
export function agentOf(headers: Headers): string {
  return cut(headers.get('user-agent'), AGENT_LENGTH)
}

function cut(value: string | null, length: number): string {
  if (value === null) return ''
  return value.length > length ? value.slice(0, length) : value
}

/**
 * Without query string and fragment, which may contain tokens and names. The short domain itself,
 * which shows password forms and previews, doesn't count as a referrer.
 */
function referrerOf(value: string | null, url: string): string {
  if (value === null) return ''
  let end = value.length
  const query = value.indexOf('?')
  if (query >= 0) end = query
  const fragment = value.indexOf('#')
  if (fragment >= 0 && fragment < end) end = fragment
  return isOwn(value, url) ? '' : value.slice(0, Math.min(end, REFERRER_LENGTH))
}

/** Same host and port, in any scheme: a proxy may have terminated TLS. */
function isOwn(referrer: string, url: string): boolean {
  const start = url.indexOf('//') + 2
  // Without a Host header (HTTP/1.0) the host is unknown.
  if (start === 1) return false
  const at = referrer.indexOf('//') + 2
  // Most hosts differ in their first letter: to see it saves 0.1 µs a visit.
  if (referrer.charCodeAt(at) !== url.charCodeAt(start)) return false
  const end = url.indexOf('/', start)
  const host = url.slice(start, end)
  if (!referrer.startsWith(host, at)) return false
  const next = at + host.length
  return next === referrer.length || referrer.charAt(next) === '/'
}

function utmOf(url: string): Record<string, string> | 0 {
  const start = url.indexOf('?')
  if (start < 0) return 0
  const parameters = new URLSearchParams(url.slice(start))
  const found: Record<string, string> = {}
  let any = false
  for (const name of UTM_NAMES) {
    const value = parameters.get(name)
    if (!value) continue
    found[name.slice(4)] = value.slice(0, UTM_LENGTH).toWellFormed()
    any = true
  }
  return any ? found : 0
}
