/** One entity tag of a list: whether it is weak, its version if it has one, and the whole. */
const TAGS = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g
const VERSION = /^"(\d+)(?:\.[^"]*)?"$/
/** What {@link encodedTag} adds. */
const CODING = /-(?:zstd|gzip|br)"$/

/**
 * The strong entity tag of an object (RFC 9110 §8.8.3): its version, and a digest of the whole
 * body, because clicks and status change without a new version.
 */
export function etagOf(version: number, text: string): string {
  return `"${version}.${digestOf(text)}"`
}

/** The strong entity tag of a body that has no version. */
export function digestTag(text: string): string {
  return `"${digestOf(text)}"`
}

function digestOf(text: string): string {
  return Bun.hash(text).toString(36)
}

/** The tag of the same content compressed: other bytes need another strong tag. */
export function encodedTag(etag: string, encoding: string): string {
  return `${etag.slice(0, -1)}-${encoding}"`
}

/** Whether `If-None-Match` names this tag, in any content coding (RFC 9110 §13.1.2). */
export function noneMatch(header: string | null, etag: string): boolean {
  if (header === null) return false
  if (header.trim() === '*') return true
  return tagsOf(header).some(({ tag }) => tag.replace(CODING, '"') === etag)
}

/** Whether `If-Match` allows a change of this version, compared strongly (RFC 9110 §13.1.1). */
export function versionMatches(header: string | null, version: number): boolean {
  if (header === null || header.trim() === '*') return true
  return tagsOf(header).some(({ weak, tag }) => !weak && versionOf(tag) === version)
}

/** Whether `If-None-Match` forbids a change of this version. */
export function namesVersion(header: string | null, version: number): boolean {
  if (header === null) return false
  return header.trim() === '*' || tagsOf(header).some(({ tag }) => versionOf(tag) === version)
}

function versionOf(tag: string): number | undefined {
  const version = VERSION.exec(tag)?.[1]
  return version === undefined ? undefined : Number(version)
}

function tagsOf(header: string): { weak: boolean; tag: string }[] {
  return [...header.matchAll(TAGS)].map(([, weak, tag]) => ({
    weak: weak !== undefined,
    tag: tag as string,
  }))
}
