import { agentOf, fetchedAhead } from '../clicks/index.ts'
import { Visitor } from '../rules/index.ts'
import type { RedirectDeps } from './types.ts'
import { searchOf, type Visit } from './visit.ts'

/** Finds out who visits, each thing when it is asked for. */
export type Who = ReturnType<typeof createWho>

export function createWho({
  recorder,
  clientAddress,
  placeOf,
}: Pick<RedirectDeps, 'recorder' | 'clientAddress' | 'placeOf'>) {
  return {
    addressOf: ({ peer, headers }: Visit): string => clientAddress(peer(), headers),
    /** For the rules of links: as the click of the visit will have it. */
    visitorOf(visit: Visit, now: number): Visitor {
      const { headers, url, address } = visit
      return new Visitor({
        now,
        userAgent: agentOf(headers),
        how: fetchedAhead(headers),
        language: headers.get('accept-language') ?? '',
        search: searchOf(url),
        referrer: headers.get('referer') ?? '',
        address,
        placeOf,
        hash: () => recorder.hash(visit, now),
      })
    },
  }
}
