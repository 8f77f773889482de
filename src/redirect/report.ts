import { readField } from './form.ts'
import type { Pages } from './pages.ts'
import type { RedirectDeps } from './types.ts'
import type { Visit } from './visit.ts'

/** The most UTF-16 units of a report that are stored. */
const LENGTH_MAX = 1_000

/** Stores a report from the preview page, and responds. */
export async function answerReport(
  { request, domainNo, slugKey, address: from }: Visit,
  { report }: Pick<RedirectDeps, 'report'>,
  pages: Pages,
): Promise<Response> {
  const text = (await readField(request, 'report'))?.trim().slice(0, LENGTH_MAX)
  if (!text) return pages.reported(request, { kind: 'empty' })
  const { allowed, retryAfterSeconds } = await report({ domainNo, slugKey, text, from })
  if (allowed) return pages.reported(request, { kind: 'sent' })
  return pages.reported(request, { kind: 'too_many', retryAfterSeconds })
}
