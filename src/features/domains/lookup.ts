import { Resolver } from 'node:dns/promises'

/** The result of a lookup: each TXT record as one text, or why there was no answer. */
export interface TxtAnswer {
  found: string[]
  /** The resolver's code, such as `ESERVFAIL` or `ETIMEOUT`; null: it answered. */
  error: string | null
}

/** Looks up the TXT records of a name. Never rejects. Tests replace it. */
export type LookUpTxt = (name: string) => Promise<TxtAnswer>

const TIMEOUT_MS = 2_000
const TRIES = 2
/** Codes for: the name or the record doesn't exist (RFC 1035 §4.1.1, RFC 2308). */
const NONE: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])

/** How many records of an answer are kept and shown. */
const FOUND_MAX = 10
const TEXT_MAX = 300

/** A DNS record that leads to a host. */
export interface HostRecord {
  type: 'CNAME' | 'A' | 'AAAA'
  value: string
}

/** The result of a lookup of a host: what leads there, or why there was no answer. */
export interface HostAnswer {
  found: HostRecord[]
  /** As in {@link TxtAnswer}. */
  error: string | null
}

/** Looks up where a host leads. Never rejects. Tests replace it. */
export type LookUpHost = (host: string) => Promise<HostAnswer>

/** Queries DNS; `servers` are addresses with an optional port, or empty for those of the system. */
export function createLookUpTxt(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    const { found, error } = await answerOf(() => resolverOf(servers).resolveTxt(name))
    return { found: bounded(found.map((parts) => parts.join(''))), error }
  }
}

/** The same for CNAME, A and AAAA records. */
export function createLookUpHost(servers: readonly string[]): LookUpHost {
  return async (host) => {
    const resolver = resolverOf(servers)
    const types = {
      CNAME: () => resolver.resolveCname(host),
      A: () => resolver.resolve4(host),
      AAAA: () => resolver.resolve6(host),
    }
    const answers = await Promise.all(
      Object.entries(types).map(async ([type, ask]) => {
        const { found, error } = await answerOf(ask)
        const records = bounded(found).map((value) => ({ type: type as HostRecord['type'], value }))
        return { records, error }
      }),
    )
    const found = answers.flatMap(({ records }) => records)
    const error = answers.find((answer) => answer.error !== null)?.error ?? null
    return { found, error: found.length > 0 ? null : error }
  }
}

/** A new one each time, because the settings of the system may have changed. */
function resolverOf(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers([...servers])
  return resolver
}

async function answerOf<T>(ask: () => Promise<T[]>): Promise<{ found: T[]; error: string | null }> {
  try {
    return { found: await ask(), error: null }
  } catch (error) {
    const { code = 'EUNKNOWN' } = error as { code?: string }
    return { found: [], error: NONE.has(code) ? null : code }
  }
}

/** Limits the number and length of records, which the owner of the zone controls. */
function bounded(texts: readonly string[]): string[] {
  return texts
    .slice(0, FOUND_MAX)
    .map((text) => [...text.toWellFormed()].slice(0, TEXT_MAX).join(''))
}
