import type { Click } from '../../types.ts'
import { createBatch } from '../batch.ts'
import type { ClickWriter } from '../write.ts'

/** A click as a test wants it; the rest is a person's who tells nothing. */
export function click(values: Partial<Click> & Pick<Click, 'time' | 'linkSeq'>): Click {
  return {
    domainNo: 0,
    visitor: null,
    kind: 'person',
    reason: null,
    trigger: 'click',
    country: null,
    region: null,
    city: null,
    language: null,
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
    ...values,
  }
}

/** Stores clicks as one batch. */
export async function store(writer: ClickWriter, clicks: readonly Click[]): Promise<void> {
  const batch = createBatch(Math.max(1, clicks.length))
  for (const one of clicks) batch.add(one)
  const { segment, offset } = writer.watermark
  await writer.write(batch, { segment: Math.max(1, segment), offset: offset + 1 })
}
