import { Resolver } from 'node:dns/promises'

/** What was found at a name: each TXT record as one text, or why there was no answer. */
export interface TxtAnswer {
  found: string[]
  /** The resolver's code, such as `ESERVFAIL` or `ETIMEOUT`; null: it answered. */
  error: string | null
}

/** Looks up the TXT records of a name. Never rejects. Tests replace it. */
export type LookUpTxt = (name: string) => Promise<TxtAnswer>

const TIMEOUT_MS = 2_000
const TRIES = 2
/** Codes of an answer: the name or the record does not exist (RFC 1035 §4.1.1, RFC 2308). */
const NONE: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND'])

/** What is kept and shown of an answer. */
const FOUND_MAX = 10
const TEXT_MAX = 300

/** Asks DNS; `servers` are addresses with a port if need be, none: those of the system. */
export function createLookUpTxt(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    // A new one each time: the settings of the system may have changed.
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

/** Records are chosen by the owner of the zone, so their number and length are bounded. */
function shown(texts: readonly string[]): string[] {
  return texts
    .slice(0, FOUND_MAX)
    .map((text) => [...text.toWellFormed()].slice(0, TEXT_MAX).join(''))
}
