import { isbot } from 'isbot'
import { createMemo } from '../lib/base/memo.ts'
import {
  AGENT_LISTS,
  type AgentReason,
  BROWSERS,
  CRAWLER_WORDS,
  EMBEDDED,
  IN_APP,
  NAMED_SCRIPT,
  NEVER_A_BROWSER,
} from './agents.ts'
import { CLICK_FLAGS } from './record.ts'

/** Why a click isn't a person's; stable keywords of the API. See docs/clicks.md. */
export type Reason = AgentReason | 'empty_agent' | 'prefetch' | 'prerender' | 'preview'

/** A person; a program; or a prefetch without a person's request. */
export type Verdict =
  | { readonly kind: 'human'; readonly reason: null }
  | { readonly kind: 'bot' | 'preview'; readonly reason: Reason }

/** The classification of a user agent. `name`: the program's name, if any. */
export type AgentVerdict = Verdict & { readonly name: string | null }

/** Characters of a user agent that are classified and stored: the same for redirect and counts. */
export const AGENT_LENGTH = 512
/** Classifying an agent takes microseconds, and most were seen a moment ago. */
const AGENTS_REMEMBERED = 5_000
const NAME_LENGTH = 64

const HUMAN = { kind: 'human', reason: null, name: null } as const
const PREFETCH = { kind: 'preview', reason: 'prefetch' } as const
const PRERENDER = { kind: 'preview', reason: 'prerender' } as const
const PREVIEW = { kind: 'preview', reason: 'preview' } as const

/** Detects crawlers, preview fetchers and scripts by their user agent, or by its absence. */
export const classifyAgent = createMemo(AGENTS_REMEMBERED, judge)

/**
 * Classifies a click, for the redirect (does it use up one of `max_clicks`?), the counters and the
 * statistics, so that they agree. A program's agent decides; otherwise the way of the visit.
 * @param how bits of {@link CLICK_FLAGS}
 */
export function classify(how: number, userAgent: string): Verdict {
  return judgeVisit(how, classifyAgent(userAgent))
}

/** {@link classify} for an agent that is classified already. */
export function judgeVisit(how: number, agent: Verdict): Verdict {
  if (agent.kind !== 'human' || (how & CLICK_FLAGS.ahead) === 0) return agent
  return (how & CLICK_FLAGS.prerender) !== 0
    ? PRERENDER
    : (how & CLICK_FLAGS.preview) !== 0
      ? PREVIEW
      : PREFETCH
}

/** Whether a click is a person's. */
export function isPerson(how: number, userAgent: string): boolean {
  return (how & CLICK_FLAGS.ahead) === 0 && classifyAgent(userAgent).kind === 'human'
}

/**
 * The bits of {@link CLICK_FLAGS} for a request that a browser or an app makes in advance, else 0.
 * `Sec-Purpose` is the standard header (Fetch §3.7); Chrome and Safari sent `Purpose` before it,
 * Firefox `X-Moz`, Safari and Facebook's apps `X-Purpose`.
 */
export function fetchedAhead(headers: Headers): number {
  const purpose =
    headers.get('sec-purpose') ??
    headers.get('purpose') ??
    headers.get('x-purpose') ??
    headers.get('x-moz')
  if (purpose === null) return 0
  if (/prerender/i.test(purpose)) return CLICK_FLAGS.ahead | CLICK_FLAGS.prerender
  if (/prefetch/i.test(purpose)) return CLICK_FLAGS.ahead
  return /preview/i.test(purpose) ? CLICK_FLAGS.ahead | CLICK_FLAGS.preview : 0
}

function judge(userAgent: string): AgentVerdict {
  if (userAgent.trim() === '') return { kind: 'bot', reason: 'empty_agent', name: null }
  if (IN_APP.test(userAgent) && !NEVER_A_BROWSER.test(userAgent)) {
    if (EMBEDDED.test(userAgent)) return HUMAN
  }
  for (const { kind, reason, pattern } of AGENT_LISTS) {
    const match = pattern.exec(userAgent)
    if (match !== null) return { kind, reason, name: nameAt(userAgent, match.index, match[0]) }
  }
  if (!isbot(userAgent) && !NAMED_SCRIPT.test(userAgent)) return HUMAN
  if (BROWSERS.test(userAgent) && !NEVER_A_BROWSER.test(userAgent)) return HUMAN
  const word = /[\w.-]*(?:bot|crawl|spider)[\w.-]*/i.exec(userAgent)
  const name = word ?? /^(?!mozilla\/)[\w.-]+/i.exec(userAgent)
  return {
    kind: 'bot',
    reason: CRAWLER_WORDS.test(userAgent) ? 'crawler' : 'script',
    name: name === null ? null : name[0].slice(0, NAME_LENGTH),
  }
}

/** The whole word around a match, as the agent writes it; null if it is part of a URL. */
function nameAt(userAgent: string, index: number, match: string): string | null {
  const before = /[\w.-]*$/.exec(userAgent.slice(0, index))?.[0] ?? ''
  const after = /^[\w.-]*/.exec(userAgent.slice(index + match.length))?.[0] ?? ''
  const name = `${before}${match}${after}`.replace(/\/.*$/, '').trim()
  return name === '' ? null : name.slice(0, NAME_LENGTH)
}
