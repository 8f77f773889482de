/**
 * The five UTM parameters of a URL. Works on the text, so that everything else stays byte for byte;
 * the dashboard uses it too.
 */

export const UTM_FIELDS = ['source', 'medium', 'campaign', 'term', 'content'] as const
export type UtmField = (typeof UTM_FIELDS)[number]
/** Null: the URL doesn't have the parameter. */
export type Utm = Record<UtmField, string | null>

/** Reads the parameters of a URL; of duplicates the first counts. */
export function utmOf(address: string): Utm {
  const found = new Map<string, string>()
  for (const parameter of parted(address).parameters) {
    const name = nameOf(parameter)
    if (!found.has(name)) found.set(name, readValue(parameter))
  }
  const values = UTM_FIELDS.map((field) => [field, found.get(`utm_${field}`) ?? null])
  return Object.fromEntries(values) as Utm
}

/**
 * Sets some of the parameters, or removes those that are null. Existing parameters stay in place,
 * and unchanged values keep their encoding.
 */
export function withUtm(
  address: string,
  utm: { readonly [F in UtmField]?: string | null | undefined },
): string {
  const { before, parameters, hasQuery, fragment } = parted(address)
  let kept = parameters
  for (const field of UTM_FIELDS) {
    const value = utm[field]
    if (value === undefined) continue
    const name = `utm_${field}`
    const first = kept.findIndex((parameter) => nameOf(parameter) === name)
    if (value === null) kept = kept.filter((parameter) => nameOf(parameter) !== name)
    else if (first < 0) kept = [...kept.filter(isNotLast), `${name}=${encoded(value)}`]
    else {
      kept = kept.flatMap((parameter, index) => {
        if (nameOf(parameter) !== name) return [parameter]
        if (index !== first) return []
        if (readValue(parameter) === value) return [parameter]
        return [`${parameter.split('=', 1)[0]}=${encoded(value)}`]
      })
    }
  }
  if (kept === parameters) return address
  const isEmpty = kept.length === 0 && (parameters.length > 0 || !hasQuery)
  return `${before}${isEmpty ? '' : '?'}${kept.join('&')}${fragment}`
}

/** An `&` at the end already separates what follows. */
function isNotLast(parameter: string, index: number, all: readonly string[]): boolean {
  return parameter !== '' || index < all.length - 1
}

function parted(address: string) {
  const hash = address.indexOf('#')
  const end = hash < 0 ? address.length : hash
  const question = address.slice(0, end).indexOf('?')
  const hasQuery = question >= 0
  const query = hasQuery ? address.slice(question + 1, end) : ''
  return {
    before: address.slice(0, hasQuery ? question : end),
    hasQuery,
    parameters: query === '' ? [] : query.split('&'),
    fragment: address.slice(end),
  }
}

function nameOf(parameter: string): string {
  return decoded(parameter.split('=', 1)[0] as string)
}

function readValue(parameter: string): string {
  const equals = parameter.indexOf('=')
  return equals < 0 ? '' : decoded(parameter.slice(equals + 1))
}

/** Decodes form encoding; malformed text stays unchanged. */
function decoded(text: string): string {
  // Most have nothing to decode: 0.03 instead of 1 µs, for every parameter of every link of a list.
  if (/^[\w.~-]*$/.test(text)) return text
  const [[, value = '']] = [...new URLSearchParams(`x=${text.replaceAll('&', '%26')}`)] as [
    [string, string],
  ]
  return value
}

function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
