const PROBLEM = 'application/problem+json'

/**
 * Whether an `Accept` header (RFC 9110 §12.5.1) prefers JSON to HTML: by weight, or by naming it
 * where a wildcard alone covers HTML. Clients that take anything get HTML: a person may be looking.
 */
export function prefersJson(accept: string | null): boolean {
  if (accept === null || !/json/i.test(accept)) return false
  const html = weigh(accept, 'text/html')
  return ['application/json', PROBLEM].some((type) => {
    const json = weigh(accept, type)
    return json.q > html.q || (json.q === html.q && json.q > 0 && json.rank > html.rank)
  })
}

/** Whether a client takes `application/problem+json` (RFC 9457) rather than plain JSON. */
export function prefersProblem(accept: string | null): boolean {
  return accept !== null && weigh(accept, PROBLEM).q > weigh(accept, 'application/json').q
}

/** The first of these content codings that an `Accept-Encoding` header takes (RFC 9110 §12.5.3). */
export function acceptedEncoding<E extends string>(
  header: string | null,
  encodings: readonly E[],
): E | undefined {
  if (header === null) return undefined
  const taken = new Set<string>()
  for (const part of header.split(',')) {
    const { range, q } = readRange(part)
    if (q > 0) taken.add(range)
  }
  return encodings.find((encoding) => taken.has(encoding))
}

/** The weight that the most specific range gives a type, and how specific it is; 0: not taken. */
function weigh(accept: string, type: string): { rank: number; q: number } {
  const main = type.slice(0, type.indexOf('/'))
  let best = { rank: 0, q: 0 }
  for (const part of accept.split(',')) {
    const { range, q } = readRange(part)
    const rank = range === type ? 3 : range === `${main}/*` ? 2 : range === '*/*' ? 1 : 0
    if (rank > best.rank) best = { rank, q }
  }
  return best
}

/** A member of the list: its name, and its weight from 0 to 1. */
function readRange(part: string): { range: string; q: number } {
  const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const q = weight === undefined ? 1 : Number(weight.slice(2))
  return { range, q: Number.isFinite(q) ? q : 0 }
}
