import { nextTurn } from '../../lib/base/turn.ts'
import { BOUNDS, URL_LENGTH_MAX } from '../../model/links/values.ts'

/** What a page says about itself; null where it says nothing. */
export interface PageDetails {
  title: string | null
  description: string | null
  /** http or https. */
  image_url: string | null
}

/** A page that says nothing about itself. */
export const NO_DETAILS: PageDetails = { title: null, description: null, image_url: null }

/** Where a `meta` element that declares the encoding is looked for. Bytes. */
const META_WITHIN = 4_096
const META_CHARSET = /<meta[^>]{0,512}?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i
const HEADER_CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i
/** What is read in a turn of the event loop. Bytes. */
const PART = 16_384
/** The most characters that are decoded for one value, and so the most entities. */
const RAW_LENGTH_MAX = 8_192
const ENTITY = /&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi
/** Numbers of control characters: as HTML reads them, they are characters of Windows-1252. */
const WINDOWS_1252 = /[\u0080-\u009f]/g

/**
 * Reads the title, description and picture of an HTML document, or of its beginning. Open Graph
 * comes before `title` and `meta name=description`.
 * @param type the `Content-Type`
 * @param url the document's own, which a relative picture is resolved against
 */
export async function readPage(body: Uint8Array, type: string, url: URL): Promise<PageDetails> {
  const found = new Map<string, string>()
  const note = (name: string, value: string | null) => {
    if (value !== null && value.trim() !== '' && !found.has(name)) found.set(name, value)
  }
  let title = ''
  const rewriter = new HTMLRewriter()
    .on('title', {
      text(chunk) {
        if (title.length < RAW_LENGTH_MAX) title += chunk.text
        if (chunk.lastInTextNode) note('title', title)
      },
    })
    .on('meta[content]', {
      element(meta) {
        const name = meta.getAttribute('property') ?? meta.getAttribute('name') ?? ''
        note(name.trim().toLowerCase(), meta.getAttribute('content'))
      },
    })
  await rewriter.transform(new Response(inTurns(decode(body, type)))).arrayBuffer()
  const text = (max: number, ...names: string[]) =>
    names.map((name) => plainText(found.get(name) ?? '', max)).find(Boolean) ?? null
  return {
    title: text(BOUNDS.title, 'og:title', 'title'),
    description: text(BOUNDS.social_description, 'og:description', 'description'),
    image_url: imageUrl(found.get('og:image') ?? '', url),
  }
}

/** A text in UTF-8, with other work between its parts: a document of tags takes time to read. */
function inTurns(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    async pull(parts) {
      await nextTurn()
      if (at >= bytes.length) return parts.close()
      parts.enqueue(bytes.subarray(at, at + PART))
      at += PART
    },
  })
}

/** The text of a document in the encoding of its byte order mark, header or `meta` element. */
function decode(body: Uint8Array, type: string): string {
  const start = new TextDecoder('latin1').decode(body.subarray(0, META_WITHIN))
  const declared = HEADER_CHARSET.exec(type)?.[1] ?? utf8If16(META_CHARSET.exec(start)?.[1])
  return decoderOf(byteOrderMark(start) ?? declared ?? 'utf-8').decode(body)
}

function byteOrderMark(start: string): string | undefined {
  if (start.startsWith('ï»¿')) return 'utf-8'
  if (start.startsWith('þÿ')) return 'utf-16be'
  return start.startsWith('ÿþ') ? 'utf-16le' : undefined
}

/** A `meta` element that could be read isn't in UTF-16, whatever it says (HTML § 13.2.3.2). */
function utf8If16(label: string | undefined): string | undefined {
  return label && /^utf-?16/i.test(label) ? 'utf-8' : label
}

/** Of an unknown encoding: UTF-8. */
function decoderOf(label: string) {
  try {
    return new TextDecoder(label as Bun.Encoding)
  } catch {
    return new TextDecoder()
  }
}

/** The characters of a text of HTML, in one line, at most `max` of them. */
function plainText(html: string, max: number): string {
  const text = decodeEntities(html.slice(0, RAW_LENGTH_MAX))
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return [...text].slice(0, max).join('').trimEnd()
}

/** CommonMark has the entities of HTML, all of them. */
function decodeEntities(html: string): string {
  return html.replace(ENTITY, (entity) => {
    let text = ''
    Bun.markdown.render(entity, {
      text(part) {
        text += part
        return part
      },
    })
    return text.replace(WINDOWS_1252, (one) =>
      new TextDecoder('windows-1252').decode(Uint8Array.of(one.charCodeAt(0))),
    )
  })
}

/** A picture's URL; null if a link couldn't have it. */
function imageUrl(html: string, base: URL): string | null {
  if (html === '' || html.length > RAW_LENGTH_MAX) return null
  const url = URL.parse(decodeEntities(html).trim(), base.href)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    return null
  }
  return url.href.length > URL_LENGTH_MAX ? null : url.href
}
