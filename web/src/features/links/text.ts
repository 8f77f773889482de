/** An address as people read it: without its scheme, `www.` and a lone slash at the end. */
export function readable(url: string): string {
  return url
    .replace(/^https?:\/\//i, '')
    .replace(/^www\./i, '')
    .replace(/^([^/?#]+)\/$/, '$1')
}

const TAIL = 8

/** The beginning and the end of a text that may have to be shortened in the middle. */
export function halves(text: string): [start: string, end: string] {
  const letters = Array.from(text)
  if (letters.length <= TAIL * 2) return [text, '']
  return [letters.slice(0, -TAIL).join(''), letters.slice(-TAIL).join('')]
}

/** How many letters of two tags stand beside each other in the table; a wide letter counts twice. */
const TAG_ROOM = 15
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]/gu

/** How many of the first two tags are shown whole: the second one goes where it would be cut. */
export function tagsThatFit(tags: readonly string[]): number {
  const [first, second] = tags
  if (first === undefined || second === undefined) return tags.length
  const both = first + second
  // “+1” stands beside them, with a gap.
  const more = tags.length > 2 ? 4 : 0
  return both.length + (both.match(WIDE)?.length ?? 0) + more <= TAG_ROOM ? 2 : 1
}

/** Whether a destination may be a link of a page. The API allows further schemes if it is told to. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

/** The name that a link goes by: its short address without the scheme, in its own script. */
export function nameOf({ domain, slug }: { domain: string; slug: string }): string {
  return `${domain}/${slug}`
}
