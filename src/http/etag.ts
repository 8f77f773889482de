/** The strong entity tag of a version (RFC 9110 §8.8.3). */
export function etagOf(version: number): string {
  return `"${version}"`
}

/** One entity tag of a list; what stands between them is skipped. */
const TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** Whether `If-None-Match` names this tag, compared weakly (RFC 9110 §13.1.2). */
export function noneMatch(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return header.match(TAGS)?.some((tag) => tag.replace(/^W\//, '') === etag) ?? false
}

/** Whether `If-Match` allows a change, compared strongly (RFC 9110 §13.1.1). */
export function matches(header: string | null, etag: string): boolean {
  if (header === null || header.trim() === '*') return true
  return header.match(TAGS)?.some((tag) => tag === etag) ?? false
}
