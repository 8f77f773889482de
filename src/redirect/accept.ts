/**
 * True when an `Accept` header (RFC 9110 §12.5.1) wants JSON more than HTML: by weight, or by
 * naming it where HTML is only covered by a wildcard. What takes anything gets HTML: a person
 * may be looking.
 */
export function prefersJson(accept: string | null): boolean {
  if (accept === null || !/json/i.test(accept)) return false
  const html = weigh(accept, 'text/html')
  return ['application/json', PROBLEM].some((type) => {
    const json = weigh(accept, type)
    return json.q > html.q || (json.q === html.q && json.q > 0 && json.rank > html.rank)
  })
}

/** True for `application/problem+json` where plain JSON isn't taken (RFC 9457). */
export function prefersProblem(accept: string | null): boolean {
  return accept !== null && weigh(accept, PROBLEM).q > weigh(accept, 'application/json').q
}

const PROBLEM = 'application/problem+json'

/** The weight that the most specific range gives a type, and how specific it is; 0: not taken. */
function weigh(accept: string, type: string): { rank: number; q: number } {
  const main = type.slice(0, type.indexOf('/'))
  let best = { rank: 0, q: 0 }
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const rank = range === type ? 3 : range === `${main}/*` ? 2 : range === '*/*' ? 1 : 0
    if (rank <= best.rank) continue
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const q = given === undefined ? 1 : Number(given.slice(2))
    best = { rank, q: Number.isFinite(q) ? q : 0 }
  }
  return best
}
