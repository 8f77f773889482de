/**
 * True when an `Accept` header (RFC 9110 §12.5.1) wants JSON more than HTML. What takes anything
 * gets HTML: a person may be looking.
 */
export function prefersJson(accept: string | null): boolean {
  if (accept === null || !accept.includes('json')) return false
  return (
    Math.max(weight(accept, 'application/json'), weight(accept, PROBLEM)) > weight(accept, HTML)
  )
}

/** True for `application/problem+json` where plain JSON isn't taken (RFC 9457). */
export function prefersProblem(accept: string | null): boolean {
  return accept !== null && weight(accept, PROBLEM) > weight(accept, 'application/json')
}

const HTML = 'text/html'
const PROBLEM = 'application/problem+json'

/** The q-value of the most specific range that covers a type; 0: not taken. */
function weight(accept: string, type: string): number {
  const main = type.slice(0, type.indexOf('/'))
  let best = { specificity: 0, q: 0 }
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const specificity = range === type ? 3 : range === `${main}/*` ? 2 : range === '*/*' ? 1 : 0
    if (specificity <= best.specificity) continue
    const given = parameters.find((parameter) => parameter.startsWith('q='))
    const q = given === undefined ? 1 : Number(given.slice(2))
    best = { specificity, q: Number.isFinite(q) ? q : 0 }
  }
  return best.q
}
