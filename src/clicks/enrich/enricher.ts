import { createMemo } from '../../lib/base/memo.ts'
import { judgeVisit } from '../classify.ts'
import { CLICK_FLAGS, type ClickRecord } from '../record.ts'
import { visitorBits } from '../visitor-bits.ts'
import type { Click } from './click.ts'
import { readAgent } from './device.ts'
import { languageOf } from './language.ts'
import { openPlaces, type PlacesOptions } from './places.ts'
import { referrerOf } from './referrer.ts'

type EnricherOptions = { geoipDatabase: string | null } & Pick<PlacesOptions, 'logger'>

const AGENTS_REMEMBERED = 10_000
/** XORed with the visitors of bots and previews. */
const NOT_HUMAN = 0x9e3779b97f4a7c15n

/**
 * Converts journal records to clicks; see `docs/clicks.md` for the source of each value. Opens the
 * geolocation database.
 * @param options.geoipDatabase path of an operator's `.mmdb`; null: the built-in one
 */
export function createEnricher(options: EnricherOptions) {
  const { geoipDatabase, logger } = options
  const places = openPlaces({ database: geoipDatabase, logger })
  const agentOf = createMemo(AGENTS_REMEMBERED, readAgent)

  return {
    /** Unknown values are null. Never throws. */
    enrich(record: ClickRecord): Click {
      const [, time, linkSeq, how, visitor, userAgent, network, from, languages, utm] = record
      const { verdict, browser, os, device } = agentOf(userAgent)
      const { kind, reason } = judgeVisit(how, verdict)
      const referrer = referrerOf(from)
      const { country, region, city } = places.find(network)
      return {
        time,
        linkSeq,
        domainNo: record[11],
        visitor: visitorOf(visitor, kind),
        kind,
        reason,
        trigger: (how & CLICK_FLAGS.qr) === 0 ? 'click' : 'qr',
        country,
        region,
        city,
        language: languageOf(languages),
        referrer: referrer.host,
        referrer_path: referrer.path,
        device,
        browser,
        os,
        utm_source: utm === 0 ? null : plain(utm.source),
        utm_medium: utm === 0 ? null : plain(utm.medium),
        utm_campaign: utm === 0 ? null : plain(utm.campaign),
        utm_term: utm === 0 ? null : plain(utm.term),
        utm_content: utm === 0 ? null : plain(utm.content),
        rule: record[12] || null,
        variant: record[13] || null,
      }
    },
    close: () => places.close(),
  }
}

/**
 * The visitor of a click, from its record's hash. A human and a program with the same address and
 * user agent are two visitors.
 */
export function visitorOf(hash: string, kind: Click['kind']): bigint | null {
  const bits = visitorBits(hash)
  return bits === null || kind === 'human' ? bits : bits ^ NOT_HUMAN
}

/** The text without control characters and surrounding white space; null if empty. */
function plain(value: string | undefined): string | null {
  if (value === undefined) return null
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? null : text
}
