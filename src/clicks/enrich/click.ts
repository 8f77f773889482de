import type { CLICK_DETAILS } from '../../platform/storage/index.ts'
import type { Verdict } from '../classify.ts'

/**
 * A click with its enriched values, described by `ClickSchema`. Absent values are null: no
 * referrer, an unknown country.
 */
export interface Click extends Record<(typeof CLICK_DETAILS)[number], string | null> {
  /** Milliseconds since the Unix epoch. */
  time: number
  linkSeq: number
  domainNo: number
  /** 64 bits of the day's keyed hash; null: the visitor asked not to be tracked. */
  visitor: bigint | null
  kind: Verdict['kind']
  /** Why the click is not human: a stable keyword such as `crawler`, `unfurler`, `prefetch`. */
  reason: string | null
  /** `click`, or `qr` for a scan of a QR code. */
  trigger: 'click' | 'qr'
}
