import type { ClickRecord } from '../../../clicks/record.ts'
import { visitorBits } from '../../../clicks/visitor-bits.ts'
import type { Click } from '../../../enrich/click.ts'

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
    country: 'DE',
    region: null,
    city: null,
    language: 'de',
    referrer: null,
    referrer_path: null,
    device: null,
    browser: null,
    os: null,
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
    rule: null,
    variant: null,
  }
}
