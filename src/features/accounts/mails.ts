import { isSupportedLocale, type Locale, negotiateLocale } from '../../lib/i18n/index.ts'
import type { Mail, Notice } from '../../platform/mail/message.ts'
import { LINK_SECONDS } from './site.ts'
import type { AccountsDeps } from './types.ts'

interface Addressee {
  email: string
  language?: unknown
}

interface Sent {
  user: Addressee
  token: string
}

/** The messages about an account, all sent in the background. */
export function createAccountMails(deps: Pick<AccountsDeps, 'mailer' | 'baseUrl' | 'clock'>) {
  const { mailer, baseUrl, clock } = deps

  function send(
    mail: Pick<Mail, 'kind' | 'notice'>,
    user: Addressee,
    path: string | null,
    request: Request | undefined,
    about = user.email,
  ): void {
    mailer.send({
      ...mail,
      to: user.email,
      locale: localeOf(user, request),
      ...(path !== null && { url: `${baseUrl}/app${path}` }),
      ...(path?.includes('#') && { expiresAt: clock.now() + LINK_SECONDS * 1_000 }),
      params: { email: about },
    })
  }

  // Tokens are in fragments, which browsers don't send, so no proxy logs them.
  const withToken = (page: string, token: string) => `/${page}#token=${encodeURIComponent(token)}`

  return {
    available: mailer.available,
    async sendReset({ user, token }: Sent, request?: Request) {
      send({ kind: 'reset' }, user, withToken('reset-password', token), request)
    },
    async sendVerification({ user, token }: Sent, request?: Request) {
      send({ kind: 'verify' }, user, withToken('verify-email', token), request)
    },
    /** To the new address, to confirm it. */
    sendEmailChange: (user: Addressee, token: string, request?: Request) =>
      send({ kind: 'verify' }, user, withToken('change-email', token), request),
    sendPasswordChanged: (user: Addressee, request?: Request) =>
      send({ kind: 'password_changed' }, user, '/forgot-password', request),
    /** To the owner of an address with which someone signed up again. */
    sendExists: (user: Addressee, request?: Request) =>
      send({ kind: 'exists' }, user, '/sign-in', request),
    /** A change of the account; `about`: the other address involved. */
    sendNotice(notice: Notice, user: Addressee, request?: Request, about?: string) {
      // A deleted account has no page.
      const path = notice === 'deleted' ? null : '/account'
      send({ kind: 'notice', notice }, user, path, request, about)
    },
  }
}

/** The person's own language, or else the browser's. */
function localeOf({ language }: Addressee, request: Request | undefined): Locale {
  if (typeof language === 'string' && isSupportedLocale(language)) return language
  return negotiateLocale({ acceptLanguage: request?.headers.get('accept-language') })
}
