/** A readable URL: without its scheme, `www.` and a lone trailing slash. */
export function readable(url: string): string {
  return url
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/^([^/?#]+)\/$/, '$1')
}

const TAIL = 8

/** The text if it fits, else its beginning and end with an ellipsis in between. */
export function shortened(text: string, fits: (text: string) => boolean): string {
  if (fits(text)) return text
  const letters = Array.from(text)
  const tail = letters.slice(-TAIL).join('')
  let [low, high] = [0, Math.max(0, letters.length - TAIL - 1)]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(`${letters.slice(0, middle).join('')}…${tail}`)) low = middle
    else high = middle - 1
  }
  return `${letters.slice(0, low).join('')}…${tail}`
}

/** How many letters of two tags fit beside each other in the table; a wide letter counts twice. */
const TAG_ROOM = 15
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/gu

/** How many of the first two tags are shown: the second one is dropped if it would be truncated. */
export function tagsThatFit(tags: readonly string[]): number {
  const [first, second] = tags
  if (first === undefined || second === undefined) return tags.length
  const both = first + second
  // Each has a dot before it; “+1” follows them, with a gap.
  const more = tags.length > 2 ? 9 : 4
  return both.length + (both.match(WIDE)?.length ?? 0) + more <= TAG_ROOM ? 2 : 1
}

/** Whether a destination may be a link in a page. The API can allow other schemes too. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

/** A link's display name: its short URL without the scheme, in its own script. */
export function nameOf({ domain, slug }: { domain: string; slug: string }): string {
  return `${domain}/${slug}`
}
