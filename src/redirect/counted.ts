import type { RedirectDeps } from './types.ts'
import type { Visit } from './visit.ts'

type Deps = Pick<RedirectDeps, 'clientAddress' | 'excluded' | 'recorder'>

/** The visitor's address; null: the workspace of the link doesn't count visits from there. */
export function countedAddress(
  { clientAddress, excluded }: Pick<Deps, 'clientAddress' | 'excluded'>,
  { peer, headers }: Visit,
  linkSeq: number,
): string | null {
  const address = clientAddress(peer(), headers)
  return excluded?.covers(linkSeq, address) === true ? null : address
}

/** Whether a visit uses up one of `max_clicks`: a person's that is counted. */
export function usesOne(deps: Deps, visit: Visit, linkSeq: number): boolean {
  const { method, headers } = visit
  return (
    method !== 'HEAD' &&
    deps.recorder.isPerson(headers) &&
    countedAddress(deps, visit, linkSeq) !== null
  )
}
