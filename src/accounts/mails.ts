import { isSupportedLocale, type Locale, negotiateLocale } from '../i18n/index.ts'
import type { Mail, Mailer } from '../mail/index.ts'

interface Addressee {
  email: string
  language?: unknown
}

interface Sent {
  user: Addressee
  token: string
}

/** The messages about somebody's account. None of them waits until it is sent. */
export interface AccountMails {
  readonly available: boolean
  sendReset(data: Sent, request?: Request): Promise<void>
  sendVerification(data: Sent, request?: Request): Promise<void>
  /** To the old address, about the new one. */
  sendChange(data: Sent & { newEmail: string }, request?: Request): Promise<void>
  sendPasswordChanged(user: Addressee, request?: Request): void
  /** To somebody whose address was used to sign up again. */
  sendExists(user: Addressee, request?: Request): void
}

/** See {@link AccountMails}. `linkMs`: how long their links work. */
export function createAccountMails(deps: {
  mailer: Mailer
  baseUrl: string
  clock: { now(): number }
  linkMs: number
}): AccountMails {
  const { mailer, baseUrl, clock, linkMs } = deps

  function send(
    kind: Mail['kind'],
    user: Addressee,
    path: string,
    options: { request?: Request | undefined; about?: string; expires?: boolean } = {},
  ): void {
    mailer.send({
      kind,
      to: user.email,
      locale: localeOf(user, options.request),
      url: `${baseUrl}/app${path}`,
      ...(options.expires && { expiresAt: clock.now() + linkMs }),
      params: { email: options.about ?? user.email },
    })
  }

  const confirmation = (token: string, page: string) =>
    `/api/auth/verify-email?token=${encodeURIComponent(token)}&callbackURL=${encodeURIComponent(`/app${page}`)}`

  return {
    available: mailer.available,
    async sendReset({ user, token }, request) {
      send('reset', user, `/reset-password?token=${encodeURIComponent(token)}`, {
        request,
        expires: true,
      })
    },
    async sendVerification({ user, token }, request) {
      send('verify', user, confirmation(token, '/account'), { request, expires: true })
    },
    async sendChange({ user, newEmail, token }, request) {
      const options = { request, about: newEmail, expires: true }
      send('change', user, confirmation(token, '/account'), options)
    },
    sendPasswordChanged: (user, request) =>
      send('password_changed', user, '/forgot-password', { request }),
    sendExists: (user, request) => send('exists', user, '/sign-in', { request }),
  }
}

/** The person's own language, else the browser's. */
function localeOf({ language }: Addressee, request: Request | undefined): Locale {
  if (typeof language === 'string' && isSupportedLocale(language)) return language
  return negotiateLocale({ acceptLanguage: request?.headers.get('accept-language') })
}
