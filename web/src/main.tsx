import './tokens.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { onSignedOut } from './api/client.ts'
import { sessionQuery } from './api/session.ts'
import { Direction } from './app/direction.tsx'
import { draw } from './app/draw.tsx'
import { enterLanguage, firstLocale, LanguageProvider } from './app/language.tsx'
import { queryClient } from './app/queries.ts'
import { router } from './app/router.tsx'
import { stringifySearch } from './app/search-params.ts'
import { Toasts } from './ui/toast.tsx'
import { Tooltips } from './ui/tooltip.tsx'

// After the program, which it would delay by a quarter of a second on a slow line, and before the first text.
void document.fonts.load('1em Inter')
// Both are requested before the first rendering.
const language = enterLanguage(firstLocale())
void queryClient.prefetchQuery(sessionQuery)

// Where no page is shown yet over which the person could sign in again.
onSignedOut(async () => {
  const signedIn = queryClient.getQueryData(sessionQuery.queryKey)?.user
  if (!signedIn) return false
  const { href } = router.latestLocation
  location.replace(`/app/sign-in${stringifySearch({ next: href, ended: 'true' })}`)
  return new Promise(() => {})
})

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce

draw(
  <CSPProvider nonce={nonce}>
    <QueryClientProvider client={queryClient}>
      <LanguageProvider first={await language}>
        <Direction>
          <RouterProvider router={router} />
          <Toasts />
          <Tooltips />
        </Direction>
      </LanguageProvider>
    </QueryClientProvider>
  </CSPProvider>,
)
