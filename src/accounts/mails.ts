import { isSupportedLocale, type Locale, negotiateLocale } from '../i18n/index.ts'
import type { Mail, Mailer, Notice } from '../mail/index.ts'

interface Addressee {
  email: string
  language?: unknown
}

interface Sent {
  user: Addressee
  token: string
}

/** The messages about an account. None of them is waited for. */
export interface AccountMails {
  readonly available: boolean
  sendReset(data: Sent, request?: Request): Promise<void>
  sendVerification(data: Sent, request?: Request): Promise<void>
  /** To the new address, so that its owner confirms it. */
  sendEmailChange(user: Addressee, token: string, request?: Request): void
  sendPasswordChanged(user: Addressee, request?: Request): void
  /** To the owner of an address that was used to sign up again. */
  sendExists(user: Addressee, request?: Request): void
  /** What happened to the account; `about`: the other address that it concerns. */
  sendNotice(notice: Notice, user: Addressee, request?: Request, about?: string): void
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
    mail: Pick<Mail, 'kind' | 'notice'>,
    user: Addressee,
    path: string,
    request: Request | undefined,
    about = user.email,
  ): void {
    mailer.send({
      ...mail,
      to: user.email,
      locale: localeOf(user, request),
      url: `${baseUrl}/app${path}`,
      ...(path.includes('#') && { expiresAt: clock.now() + linkMs }),
      params: { email: about },
    })
  }

  // Tokens are in fragments: browsers keep these to themselves, so no proxy logs one.
  const withToken = (page: string, token: string) => `/${page}#token=${encodeURIComponent(token)}`

  return {
    available: mailer.available,
    async sendReset({ user, token }, request) {
      send({ kind: 'reset' }, user, withToken('reset-password', token), request)
    },
    async sendVerification({ user, token }, request) {
      send({ kind: 'verify' }, user, withToken('verify-email', token), request)
    },
    sendEmailChange: (user, token, request) =>
      send({ kind: 'verify' }, user, withToken('change-email', token), request),
    sendPasswordChanged: (user, request) =>
      send({ kind: 'password_changed' }, user, '/forgot-password', request),
    sendExists: (user, request) => send({ kind: 'exists' }, user, '/sign-in', request),
    sendNotice: (notice, user, request, about) =>
      send({ kind: 'notice', notice }, user, '/account', request, about),
  }
}

/** The person's own language, else the browser's. */
function localeOf({ language }: Addressee, request: Request | undefined): Locale {
  if (typeof language === 'string' && isSupportedLocale(language)) return language
  return negotiateLocale({ acceptLanguage: request?.headers.get('accept-language') })
}
