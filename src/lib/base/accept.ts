const PROBLEM = 'application/problem+json'
const WEIGHT = /^q\s*=\s*(0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/
// Clients send under 400 characters and a dozen members; what exceeds these bounds is ignored.
const LENGTH_MAX = 1024
const MEMBERS_MAX = 32

/**
 * The members of a header such as `Accept` with their weights from 0 to 1 (RFC 9110 §12.4.2), in
 * lower case. A member whose weight is malformed is left out.
 */
export function weighted(header: string): { name: string; q: number }[] {
  const members = header.slice(0, LENGTH_MAX).toLowerCase().split(',', MEMBERS_MAX)
  return members.flatMap((member) => {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => /^q\s*=/.test(parameter)) ?? 'q=1'
    const q = WEIGHT.exec(weight)?.[1]
    return q === undefined ? [] : [{ name, q: Number(q) }]
  })
}

/**
 * Whether an `Accept` header (RFC 9110 §12.5.1) prefers JSON to HTML, by weight or because it names
 * JSON while only a wildcard covers HTML. Clients that accept anything get HTML: it may be a
 * person.
 */
export function prefersJson(accept: string | null): boolean {
  if (accept === null || !/json/i.test(accept)) return false
  const html = weigh(accept, 'text/html')
  return ['application/json', PROBLEM].some((type) => {
    const json = weigh(accept, type)
    return json.q > html.q || (json.q === html.q && json.q > 0 && json.rank > html.rank)
  })
}

/** Whether a client accepts `application/problem+json` (RFC 9457) rather than plain JSON. */
export function prefersProblem(accept: string | null): boolean {
  return accept !== null && weigh(accept, PROBLEM).q > weigh(accept, 'application/json').q
}

/**
 * The first of these content codings that an `Accept-Encoding` header accepts (RFC 9110 §12.5.3).
 */
export function acceptedEncoding<E extends string>(
  header: string | null,
  encodings: readonly E[],
): E | undefined {
  const taken = weighted(header ?? '').filter(({ q }) => q > 0)
  return encodings.find((encoding) => taken.some(({ name }) => name === encoding))
}

/**
 * The weight that the most specific range gives a type (0: not accepted), and how specific it is.
 */
function weigh(accept: string, type: string): { rank: number; q: number } {
  const ranges = ['*/*', `${type.slice(0, type.indexOf('/'))}/*`, type]
  let best = { rank: 0, q: 0 }
  for (const { name, q } of weighted(accept)) {
    const rank = ranges.indexOf(name) + 1
    if (rank > best.rank) best = { rank, q }
  }
  return best
}
