import { defined, textOf } from '../../app/search-params.ts'
import type { Draft } from './form/draft.ts'

/** The search parameters of `/app/links/new`: from a bookmarklet, a shared page, or a link. */
export interface GivenLink {
  url?: string
  title?: string
  /** What an app shares instead of a URL, often with the URL in it. */
  text?: string
  slug?: string
}

export function givenLinkSearch({ url, title, text, slug }: Record<string, unknown>): GivenLink {
  return defined({
    url: textOf(url),
    title: textOf(title),
    text: textOf(text),
    slug: textOf(slug),
  })
}

/** The most characters that the API accepts. */
export const MAX = { url: 8_192, title: 255, slug: 128 } as const

/** Up to white space, or a quote, bracket or punctuation mark that a sent URL has encoded. */
const WEB_URL =
  /https?:\/\/[^\s\p{Cc}\u200b-\u200f\u2060\ufeff<>"“”„«»‹›…\u3000-\u303f！），．：；？］｝｡､]+/iu
/** Ends a sentence rather than a URL. */
const SENTENCE_END = `.,;:!?'’*]}`

/**
 * The form's values for what was given. The API validates them: a URL or slug that is too long is
 * cut to one character more than allowed, so that the form says so.
 */
export function givenDraft({ url, title, text, slug }: GivenLink): Partial<Draft> {
  const given = url?.trim() ?? ''
  const whole = given !== '' && !/\s/.test(given) ? given : undefined
  const destination = whole ?? [given, text, title].map(findUrl).find((one) => one !== undefined)
  const name = [title, text].map((one) => titleOf(one ?? '', destination)).find((one) => one !== '')
  return defined({
    destination_url: destination && firstOf(destination, MAX.url + 1),
    title: name,
    slug: slug && firstOf(slug.trim(), MAX.slug + 1),
  })
}

/** The first web URL in a text. */
function findUrl(text = ''): string | undefined {
  const found = WEB_URL.exec(text)?.[0]
  if (found === undefined) return undefined
  let end = found.length
  // A closing bracket belongs to the URL if it was opened there.
  let unopened = countOf(found, ')') - countOf(found, '(')
  for (; end > 0; end--) {
    const last = found[end - 1] as string
    if (last === ')' && unopened > 0) unopened--
    else if (!SENTENCE_END.includes(last)) break
  }
  const url = found.slice(0, end)
  return URL.canParse(url) ? url : undefined
}

/** A text in one line, without the URL and what introduces it. */
function titleOf(text: string, url: string | undefined): string {
  const rest = url === undefined ? text : text.replace(url, () => ' ')
  const title = firstOf(rest.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(), MAX.title).trim()
  return rest === text ? title : title.replace(/ ?[:|–—-]$/u, '')
}

/** The first characters. A character has at most two units. */
function firstOf(text: string, count: number): string {
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('')
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1
}
