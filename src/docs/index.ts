import { digestTag, type OpenApiParts, type Page } from '../http/index.ts'
import type { Locale } from '../i18n/index.ts'
import { errorsPage, POLICY, referencePage } from './page.ts'

export { registerRootRoutes } from './root-routes.ts'

/** What the page needs. */
export interface DocsDeps {
  document: () => OpenApiParts
  /** The public address of this instance, for the examples. */
  baseUrl: () => string
}

/** Answers `GET /docs` and `GET /docs/errors`. */
export function createDocs({ document, baseUrl }: DocsDeps): { reference: Page; errors: Page } {
  // One text for each language; the address only changes before the server listens.
  const texts = new Map<string, string>()

  function page(name: string, render: (base: string, locale: Locale) => string): Page {
    return ({ locale }) => {
      const base = baseUrl()
      const key = `${name} ${locale} ${base}`
      const text = texts.get(key) ?? render(base, locale)
      texts.set(key, text)
      const headers = {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Content-Language': locale === 'en' ? 'en' : `en, ${locale}`,
        Vary: 'Accept-Language',
        ETag: digestTag(text),
      }
      return { status: 200, text, headers }
    }
  }

  return {
    reference: page('reference', (base) => referencePage(document(), base)),
    errors: page('errors', (base, locale) => errorsPage(document(), base, locale)),
  }
}
