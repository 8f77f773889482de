/** One member of Accept-Language: a language range and its weight from 0 to 1. */
export interface LanguageRange {
  /** Lower case; `*` for any language. */
  readonly tag: string
  readonly q: number
}

// Browsers send under 200 characters and a dozen ranges; what stands beyond these bounds is ignored,
// so that nobody can make the server work through a long list.
const MAX_LENGTH = 1024
const MAX_RANGES = 32

const RANGE = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/
const WEIGHT = /^q=(0(?:\.\d*)?|1(?:\.0*)?|\.\d+)$/

/**
 * The ranges of an Accept-Language header (RFC 9110 §12.5.4, RFC 4647 §2.1), best weight first, equal
 * weights in their order. Malformed members are left out; nothing throws.
 */
export function parseAcceptLanguage(header: string): LanguageRange[] {
  const ranges: LanguageRange[] = []
  for (const member of header.slice(0, MAX_LENGTH).toLowerCase().split(',', MAX_RANGES)) {
    const [tag = '', ...parameters] = member.split(';', 4).map((part) => part.trim())
    const q = weight(parameters)
    if (q !== undefined && RANGE.test(tag)) ranges.push({ tag, q })
  }
  return ranges.sort((a, b) => b.q - a.q)
}

function weight(parameters: readonly string[]): number | undefined {
  const parameter = parameters.find((candidate) => candidate.startsWith('q'))
  if (parameter === undefined) return 1
  const match = WEIGHT.exec(parameter.replace(/\s/g, ''))
  return match === null ? undefined : Number(match[1])
}
