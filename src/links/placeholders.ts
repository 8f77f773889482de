/**
 * What a destination may have filled in by a visit. The URL standard percent-encodes braces in a
 * path, so both forms are read. `path.1` is the first segment behind the slug.
 */
export const PLACEHOLDERS = /(?:\{|%7B)(path(?:\.[1-9]\d?)?|slug|query\.[\w.~-]+)(?:\}|%7D)/g
const PLACEHOLDER = new RegExp(PLACEHOLDERS.source)

/** Up to where the path, the query or the fragment begins; of `mailto:a@b` it is all. */
const ORIGIN = /^[^/?#\\:]*:?[/\\]*[^/?#\\]*/

/** Whether a destination has something to be filled in. */
export function hasPlaceholder(url: string): boolean {
  return PLACEHOLDER.test(url)
}

/** Whether a destination's scheme, host or port would be filled in. */
export function hasPlaceholderInOrigin(url: string): boolean {
  return PLACEHOLDER.test(ORIGIN.exec(url)?.[0] ?? '')
}
