import type { RedirectDeps } from './types.ts'
import type { Visit } from './visit.ts'

/** False: the workspace of the link doesn't count visits from the visitor's address. */
export function isCounted(
  { excluded }: Pick<RedirectDeps, 'excluded'>,
  visit: Visit,
  linkSeq: number,
): boolean {
  return excluded?.covers(linkSeq, visit.address) !== true
}

/** Whether a visit uses up one of `max_clicks`: that of a person, and not excluded. */
export function usesOne(
  deps: Pick<RedirectDeps, 'excluded' | 'recorder'>,
  visit: Visit,
  linkSeq: number,
): boolean {
  const isAsked = visit.method !== 'HEAD' && deps.recorder.isPerson(visit.headers)
  return isAsked && isCounted(deps, visit, linkSeq)
}
