import './tokens.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ComponentType, Suspense } from 'react'
import { sessionQuery } from './api/session.ts'
import { draw } from './app/draw.tsx'
import { enterLanguage, firstLocale, LanguageProvider } from './app/language.tsx'
import { useOwnValidity } from './app/own-validity.ts'
import { queryClient } from './app/queries.ts'
import { Boundary } from './features/auth/boundary.tsx'
import { ClaimPage } from './features/auth/claim.tsx'
import { ChangeEmailPage, VerifyEmailPage } from './features/auth/confirm-email.tsx'
import { InvitationPage } from './features/auth/invitation.tsx'
import { ForgotPasswordPage, ResetPasswordPage } from './features/auth/passwords.tsx'
import { SignInPage } from './features/auth/sign-in.tsx'
import { SignUpPage } from './features/auth/sign-up.tsx'
import { TwoFactorPage } from './features/auth/two-factor.tsx'
import { Tooltips } from './ui/tooltip.tsx'

/**
 * The program before the sign-in. It is separate because everyone loads it first: with Preact, and
 * without what only the dashboard needs, it has a third of the size. `src/http/dashboard/page.ts` lists
 * its pages too.
 */
const PAGES: Readonly<Record<string, ComponentType>> = {
  'sign-in': SignInPage,
  'sign-up': SignUpPage,
  'two-factor': TwoFactorPage,
  'forgot-password': ForgotPasswordPage,
  'reset-password': ResetPasswordPage,
  claim: ClaimPage,
  invitation: InvitationPage,
  'verify-email': VerifyEmailPage,
  'change-email': ChangeEmailPage,
}

// Both are requested before the first rendering.
const language = enterLanguage(firstLocale())
void queryClient.prefetchQuery(sessionQuery)

// A second link to the same page changes only the fragment, which has its token.
addEventListener('hashchange', () => location.reload())

const name = location.pathname.replace(/^\/app\/|\/$/g, '')

function SignedOut() {
  useOwnValidity()
  const Page = PAGES[name] ?? SignInPage
  return (
    <Boundary>
      <Suspense>
        <Page />
      </Suspense>
      <Tooltips />
    </Boundary>
  )
}

draw(
  <QueryClientProvider client={queryClient}>
    <LanguageProvider first={await language}>
      <SignedOut />
    </LanguageProvider>
  </QueryClientProvider>,
)
