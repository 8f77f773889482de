import '../../tokens.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { Direction } from '../../app/direction.tsx'
import { draw } from '../../app/draw.tsx'
import { enterLanguage, firstLocale } from '../../app/language.tsx'
import { queryClient } from '../../app/queries.ts'
import { I18nProvider } from '../../i18n/index.tsx'
import { Tooltips } from '../../ui/tooltip.tsx'
import { SharedPage } from './page.tsx'
import { aboutQuery, enterShare } from './queries.ts'

enterShare()
const language = enterLanguage(firstLocale())
void queryClient.prefetchQuery(aboutQuery)

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce

draw(
  <CSPProvider nonce={nonce}>
    <QueryClientProvider client={queryClient}>
      <I18nProvider {...(await language)}>
        <Direction>
          <SharedPage />
          <Tooltips />
        </Direction>
      </I18nProvider>
    </QueryClientProvider>
  </CSPProvider>,
)
