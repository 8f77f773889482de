import { agentOf, fetchedAhead } from '../clicks/index.ts'
import { Visitor } from '../rules/index.ts'
import type { RedirectDeps } from './types.ts'
import { searchOf, type Visit } from './visit.ts'

/** Who visits, for the rules of links: as the click of the visit will have it. */
export function createSee({
  recorder,
  clientAddress,
  placeOf,
}: Pick<RedirectDeps, 'recorder' | 'clientAddress' | 'placeOf'>) {
  return ({ headers, url, peer }: Visit, now: number): Visitor => {
    const address = clientAddress(peer(), headers)
    return new Visitor({
      now,
      userAgent: agentOf(headers),
      how: fetchedAhead(headers),
      language: headers.get('accept-language') ?? '',
      search: searchOf(url),
      referrer: headers.get('referer') ?? '',
      address,
      placeOf,
      hash: () => recorder.hash(headers, now, address),
    })
  }
}
