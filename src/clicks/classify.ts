import { isbot } from 'isbot'
import { HOW } from './record.ts'

/** User agents whose verdict is remembered: matching one costs microseconds. */
const AGENTS_REMEMBERED = 10_000
const remembered = new Map<string, boolean>()

/** True for crawlers, preview fetchers, scripts: whoever says so in their user agent. */
export function isBotAgent(userAgent: string): boolean {
  let bot = remembered.get(userAgent)
  if (bot === undefined) {
    bot = isbot(userAgent)
    if (remembered.size >= AGENTS_REMEMBERED) remembered.clear()
    remembered.set(userAgent, bot)
  }
  return bot
}

/** True when a person came; the same answer for the redirect and for the count. */
export function isPerson(how: number, userAgent: string): boolean {
  return (how & HOW.ahead) === 0 && !isBotAgent(userAgent)
}

/** {@link HOW.ahead} for a request that a browser or a preview makes before anyone asks, else 0. */
export function fetchedAhead(headers: Headers): number {
  const purpose = headers.get('sec-purpose') ?? headers.get('purpose')
  return purpose !== null && /prefetch|prerender|preview/i.test(purpose) ? HOW.ahead : 0
}
