import { digestTag, type OpenApiParts, type Page } from '../../http/index.ts'
import { createMemo } from '../../lib/base/memo.ts'
import { LOCALES, type Locale } from '../../lib/i18n/index.ts'
import { errorsPage, POLICY, referencePage } from './page.ts'

export { registerRootRoutes } from './root-routes.ts'

/** Serves `GET /docs` and `GET /docs/errors`; `baseUrl` is the URL in the examples. */
export function createDocs(deps: { document: () => OpenApiParts; baseUrl: string }) {
  function page(render: typeof errorsPage): Page {
    // The URL changes only before the server listens.
    const text = createMemo(LOCALES.length, (locale: Locale) =>
      render(deps.document(), deps.baseUrl, locale),
    )
    return ({ locale }) => {
      const headers = {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': POLICY,
        'Content-Language': locale === 'en' ? 'en' : `en, ${locale}`,
        Vary: 'Accept-Language',
        ETag: digestTag(text(locale)),
      }
      return { status: 200, text: text(locale), headers }
    }
  }
  return { reference: page(referencePage), errors: page(errorsPage) }
}
