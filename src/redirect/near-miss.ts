/** A path without what clings to it, and the query that was in it. */
export interface NearMiss {
  /** Without its leading slash. */
  path: string
  /** Without a `?`; empty: none. */
  query: string
}

/**
 * What clings to the end of pasted links: white space, invisible characters, the punctuation and
 * quotes of sentences in all scripts. Only the full stop may also end a slug.
 */
const CLINGING =
  /[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff.,;:!)\]}>"'`´«»‘’‚“”„‹›…。、，．；：！？）］｝＞】》」』〉〕｡､]$/u
/** A query whose question mark is encoded or missing. */
const QUERY = /&|%26|%3f/i
/** The bytes of one percent-encoded character. */
const ENCODED = /(?:%[0-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3})$/i
/** Four bytes, each encoded in three. */
const ENCODED_LENGTH_MAX = 12

/**
 * Other readings of a path that no link has, the longest first: at most one that ends in full stops,
 * and one without them. Linear in the path's length.
 */
export function nearMisses(path: string): NearMiss[] {
  const mark = QUERY.exec(path)
  const query = mark === null ? '' : path.slice(mark.index + mark[0].length)
  let rest = path.slice(0, mark?.index).replace(/\/$/, '')
  const asked = mark === null ? rest : path
  const readings: NearMiss[] = []
  const add = () => {
    if (rest !== '' && rest !== asked && rest !== readings[0]?.path) {
      readings.push({ path: rest, query })
    }
  }
  for (let last = lastOf(rest); CLINGING.test(last.character); last = lastOf(rest)) {
    if (last.character === '.' && readings.length === 0) add()
    rest = rest.slice(0, -last.length)
  }
  add()
  return readings
}

function lastOf(path: string): { character: string; length: number } {
  const [encoded = ''] = ENCODED.exec(path.slice(-ENCODED_LENGTH_MAX)) ?? []
  const raw = path.slice(-1)
  if (encoded === '') return { character: raw, length: 1 }
  try {
    return { character: decodeURIComponent(encoded), length: encoded.length }
  } catch {
    return { character: raw, length: 1 }
  }
}
