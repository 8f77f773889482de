import type { Page } from '../http/index.ts'
import type { Locale } from '../i18n/index.ts'
import { POLICY, type ReferenceDocument, referencePage } from './page.ts'

export type { ReferenceDocument } from './page.ts'

/** What the page needs. */
export interface DocsDeps {
  document: () => ReferenceDocument
  /** The public address of this instance, for the examples. */
  baseUrl: () => string
}

/** Answers `GET /docs`. */
export function createDocs({ document, baseUrl }: DocsDeps): Page {
  // One page for each language at most; the address only changes before anybody listens.
  const pages = new Map<string, { text: string; etag: string }>()

  function pageFor(locale: Locale): { text: string; etag: string } {
    const base = baseUrl()
    const name = `${locale} ${base}`
    let page = pages.get(name)
    if (page === undefined) {
      const text = referencePage(document(), base, locale)
      page = { text, etag: `"${Bun.hash(text).toString(36)}"` }
      pages.set(name, page)
    }
    return page
  }

  return ({ locale }) => {
    const { text, etag } = pageFor(locale)
    const headers = {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Content-Language': locale === 'en' ? 'en' : `en, ${locale}`,
      Vary: 'Accept-Language',
      ETag: etag,
    }
    return { status: 200, text, headers }
  }
}
