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

/** Queries DNS; `servers` are addresses with an optional port, or empty for those of the system. */
export function createLookUpTxt(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    // A new resolver each time, because the settings of the system may have changed.
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
    if (servers.length > 0) resolver.setServers([...servers])
    try {
      const records = await resolver.resolveTxt(name)
      return { found: shown(records.map((parts) => parts.join(''))), error: null }
    } catch (error) {
      const { code = 'EUNKNOWN' } = error as { code?: string }
      return { found: [], error: NONE.has(code) ? null : code }
    }
  }
}

/** Limits the number and length of records, which the owner of the zone controls. */
function shown(texts: readonly string[]): string[] {
  return texts
    .slice(0, FOUND_MAX)
    .map((text) => [...text.toWellFormed()].slice(0, TEXT_MAX).join(''))
}
