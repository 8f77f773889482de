import { isLinearizable, type Operation } from './linearizable.ts'

/**
 * Histories of several nodes: what a client asked for, when, and what it was answered. The checks
 * here return what can't be, in words; nothing: all of it can.
 */

/** How long a redirect may follow the old state on other nodes: contract and docs/scaling.md. */
export const BOUND_MS = 1_000

/** A link, by its `external_id`: each one is given once. Each destination is, too. */
export interface Link {
  made: string
  url: string
  /** Undefined: not shown. */
  version?: number
}

/** A request about a slug. */
export interface SlugOperation extends Operation {
  slug: string
  kind: 'create' | 'patch' | 'delete' | 'get'
  /** What it would make the link; of a `get`: what it found. Null: no link. */
  link: Link | null
  /** The version that it was for (`If-Match`). */
  ifVersion?: number | undefined
  /**
   * `absent`: there is no such link; `taken`: the slug is another link's; `changed`: the link has
   * another version; `unknown`: no answer, or one that leaves it open.
   */
  outcome: 'done' | 'absent' | 'taken' | 'changed' | 'unknown'
  /** The node that answered, with the number of its start. */
  node: string
}

/** A visit of a slug that was answered. */
export interface Visit extends Operation {
  slug: string
  /** Where it led to; null: nowhere. */
  url: string | null
  node: string
  /** False: the node says that it couldn't ask the database at that time. */
  isBound: boolean
}

type Register = Link | null

function step(state: Register, operation: SlugOperation): Register | undefined {
  const { kind, link, outcome, ifVersion } = operation
  const isThis = state !== null && state.made === link?.made
  if (kind === 'get') {
    if (link === null || state === null) return link === state ? state : undefined
    const isSame = state.url === link.url && [undefined, state.version].includes(link.version)
    return isSame ? state : undefined
  }
  if (outcome === 'taken') return state === null ? undefined : state
  if (outcome === 'absent') return isThis ? undefined : state
  if (outcome === 'changed') return isThis && state.version !== ifVersion ? state : undefined
  const first = { ...(link as Link), version: 1 }
  if (kind === 'create') return state === null ? next(first) : undefined
  if (!isThis || (ifVersion !== undefined && ifVersion !== state.version)) return undefined
  if (kind === 'delete') return null
  return next({ ...link, version: (state.version as number) + 1 })

  /** Where a change leads, unless it was answered with another version. */
  function next(to: Required<Link>): Required<Link> | undefined {
    return [undefined, to.version].includes(link?.version) ? to : undefined
  }
}

const REGISTER = {
  initial: null as Register,
  step,
  nameOf: (state: Register) => (state === null ? '-' : `${state.url} ${state.version}`),
}

/**
 * Whether the requests about each slug have an order, and whether redirects fit in it: they may be as
 * old as {@link BOUND_MS}, so a visit counts as a read that began earlier by that.
 */
export function slugFaults(operations: readonly SlugOperation[], visits: readonly Visit[]) {
  const visited = Map.groupBy(visits, ({ slug }) => slug)
  return [...Map.groupBy(operations, ({ slug }) => slug)].flatMap(([slug, all]) => {
    const redirects = (visited.get(slug) ?? [])
      .filter(({ isBound }) => isBound)
      .map(({ url, invoked, returned, node }): SlugOperation => {
        const link = url === null ? null : { made: '', url }
        const begin = invoked - BOUND_MS
        return { slug, kind: 'get', link, invoked: begin, returned, outcome: 'done', node }
      })
    if (isLinearizable([...all, ...redirects], REGISTER)) return []
    const isOrdered = isLinearizable(all, REGISTER)
    return [`${slug}: ${isOrdered ? 'a redirect is too old' : 'its requests have no order'}`]
  })
}

/**
 * Whether redirects of a node went back: to an earlier version of a link, or to one that was gone,
 * after that node had shown the later state in a redirect, or confirmed it in the answer to a change.
 */
export function backFaults(operations: readonly SlugOperation[], visits: readonly Visit[]) {
  const places = new Map<string, Link>()
  for (const { link, outcome } of operations) {
    if (link?.version !== undefined && outcome === 'done') places.set(link.url, link)
  }
  const changes = operations.filter(({ kind, outcome }) => kind !== 'get' && outcome === 'done')
  const of = ({ slug, node }: { slug: string; node: string }) => `${slug} on ${node}`
  const changed = Map.groupBy(changes, of)
  return [...Map.groupBy(visits, of)].flatMap(([name, all]) =>
    backFaultsOf(name, changed.get(name) ?? [], all, places),
  )
}

/** What was seen when it had returned: links with their versions, and links that were gone. */
interface Sight {
  returned: number
  link?: Link | undefined
  gone: readonly string[]
}

function backFaultsOf(
  name: string,
  changes: readonly SlugOperation[],
  visits: readonly Visit[],
  places: ReadonlyMap<string, Link>,
): string[] {
  const faults: string[] = []
  const sights: Sight[] = changes.map(({ kind, link, returned }) =>
    kind === 'delete'
      ? { returned, gone: [link?.made ?? ''] }
      : { returned, link: link ?? undefined, gone: [] },
  )
  const versions = new Map<string, number>()
  const gone = new Set<string>()
  for (const { url, invoked, returned } of [...visits].sort((a, b) => a.invoked - b.invoked)) {
    sights.sort((a, b) => b.returned - a.returned)
    while ((sights.at(-1)?.returned ?? Number.POSITIVE_INFINITY) < invoked) {
      const sight = sights.pop()
      for (const made of sight?.gone ?? []) gone.add(made)
      const { made = '', version = 0 } = sight?.link ?? {}
      if (made !== '') versions.set(made, Math.max(version, versions.get(made) ?? 0))
    }
    const link = url === null ? undefined : places.get(url)
    // It isn't known yet to which version the destination belongs.
    if (url !== null && link === undefined) continue
    if (link !== undefined && gone.has(link.made)) faults.push(`${name}: ${url} is back`)
    const newest = versions.get(link?.made ?? '') ?? 0
    if (newest > (link?.version ?? 0) && link !== undefined) {
      faults.push(`${name}: ${url} was followed by version ${newest}`)
    }
    const others = [...versions.keys()].filter((made) => made !== link?.made)
    sights.push({ returned, link, gone: others })
  }
  return faults
}

/** A request that takes or frees one of a workspace's places for links. */
export interface PlaceOperation extends Operation {
  kind: 'create' | 'delete'
  /** `refused`: no place is left. */
  outcome: 'done' | 'refused' | 'unknown'
}

/** Whether a workspace had as many links as its plan allows, never more, and was refused no sooner. */
export function quotaFaults(operations: readonly PlaceOperation[], most: number): string[] {
  const isPossible = isLinearizable(operations, {
    initial: 0,
    step(used: number, { kind, outcome }) {
      if (outcome === 'refused') return used === most ? used : undefined
      if (kind === 'delete') return used > 0 ? used - 1 : undefined
      return used < most ? used + 1 : undefined
    },
    nameOf: String,
  })
  return isPossible ? [] : [`The limit of ${most} links was not kept exactly`]
}

/** A visit of a link with `max_clicks`. */
export interface LimitedVisit extends Operation {
  outcome: 'redirected' | 'refused' | 'unknown'
}

/** Whether a link redirected as many visits as it may, never more, and refused none before. */
export function limitFaults(visits: readonly LimitedVisit[], most: number): string[] {
  const redirected = visits.filter(({ outcome }) => outcome === 'redirected').length
  const faults: string[] = []
  if (redirected > most) faults.push(`${redirected} visits of ${most} were redirected`)
  for (const { outcome, returned } of visits) {
    if (outcome !== 'refused') continue
    const before = visits.filter((one) => one.outcome !== 'refused' && one.invoked < returned)
    if (before.length < most) faults.push(`A visit was refused after ${before.length} of ${most}`)
  }
  return faults
}

/** Whether each idempotency key had one answer: the bodies of all its successful ones, by key. */
export function answerFaults(answers: ReadonlyMap<string, readonly string[]>): string[] {
  return [...answers].flatMap(([key, bodies]) =>
    new Set(bodies).size > 1 ? [`${key} has several answers: ${bodies.join(' ')}`] : [],
  )
}

/** A stored entry of the audit log, in the order of its numbers. */
export interface Entry {
  number: number
  /** Its number in the feed of events; null: it is no event. */
  sequence: number | null
  action: string
  target: string
  version: number | null
  /** The destination that it gave to a link. */
  url: string | undefined
}

/**
 * Whether numbers of entries, sequences of events and versions of each link have no gap, each change
 * was made once, and none of the answered ones is missing.
 */
export function auditFaults(entries: readonly Entry[], answered: readonly string[]): string[] {
  const faults: string[] = []
  const versions = new Map<string, number>()
  const urls = new Set<string>()
  let sequence = 0
  for (const [i, entry] of entries.entries()) {
    if (entry.number !== i + 1) faults.push(`Entry ${i + 1} has the number ${entry.number}`)
    if (entry.sequence !== null && entry.sequence !== ++sequence) {
      faults.push(`Event ${sequence} has the number ${entry.sequence}`)
      sequence = entry.sequence
    }
    const { action, target, url } = entry
    if (url !== undefined && urls.has(url)) faults.push(`${url} was given twice`)
    if (url !== undefined) urls.add(url)
    if (action !== 'link.created' && action !== 'link.updated') continue
    const version = (versions.get(target) ?? 0) + 1
    if (entry.version !== version) faults.push(`${target} has ${entry.version} for ${version}`)
    versions.set(target, version)
  }
  return [...faults, ...answered.filter((url) => !urls.has(url)).map((url) => `${url} is missing`)]
}
