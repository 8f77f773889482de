import type { Click } from '../../../clicks/enrich/click.ts'
import type { ClickRecord } from '../../../clicks/record.ts'
import { visitorBits } from '../../../clicks/visitor-bits.ts'
import { CLICK_DETAILS } from '../../../lib/base/click-columns.ts'

/** A click without any detail. */
export const NO_DETAILS = Object.fromEntries(CLICK_DETAILS.map((name) => [name, null])) as Record<
  (typeof CLICK_DETAILS)[number],
  null
>

/** A click with as little as there is to be found out about it. */
export function plainClick([, time, linkSeq, , visitor, agent]: ClickRecord): Click {
  const isBot = agent.startsWith('curl')
  return {
    time,
    linkSeq,
    domainNo: 0,
    visitor: visitorBits(visitor),
    kind: isBot ? 'bot' : 'human',
    reason: isBot ? 'library' : null,
    trigger: 'click',
    ...NO_DETAILS,
    country: 'DE',
    language: 'de',
  }
}
