const SECRET_NAME =
  /^(authorization|proxy[-_]authorization|cookie|set[-_]cookie|password|passwd|secret|api[-_]?key|key|token)$/i
const API_KEY = /\b([a-z]+_[0-9A-Za-z]{8})_[0-9A-Za-z]{32}\b/g
const STRUCK = '[redacted]'
const DEEPEST = 5

/** A copy of `fields` with secrets struck out: values by their name, API keys anywhere in a text. */
export function redacted(fields: object, depth = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      SECRET_NAME.test(name) ? STRUCK : redactValue(value, depth),
    ]),
  )
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    return value.length > 41 ? value.replace(API_KEY, `$1_${STRUCK}`) : value
  }
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '[deep]'
  if (value instanceof Headers) return redacted(Object.fromEntries(value), depth + 1)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1))
  // Errors, dates and the like are written in their own way.
  return Object.getPrototypeOf(value) === Object.prototype ? redacted(value, depth + 1) : value
}
