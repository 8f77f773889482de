import { discover } from '../../accounts/oidc.ts'
import { hasPasskeys, isLoopback } from '../../accounts/site.ts'
import { type Config, listeningUrl } from '../../config/index.ts'
import { tryOutSmtp } from '../../mail/index.ts'
import { databaseFiles, openSqlite } from '../../storage/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Whether people can sign in safely, by what the settings say. */
export function checkSignIn({ baseUrl, host, port, signUp, mail }: Config): Finding[] {
  const findings: Finding[] = []
  const url = baseUrl ?? listeningUrl(host, port)
  const { protocol, hostname } = new URL(url)
  if (protocol === 'http:' && !isLoopback(hostname)) {
    findings.push(
      warning(
        'sign_in',
        `${url} has no TLS: passwords and session cookies can be read on the way, and there are ` +
          'no passkeys',
        'let a proxy end TLS, and set BASE_URL to the https address',
      ),
    )
  } else {
    const passkeys = hasPasskeys(url) ? 'with passkeys' : 'without passkeys, which need a host name'
    findings.push(ok('sign_in', `at ${url}/app, ${passkeys}`))
  }
  if (signUp === 'open' && mail === null) {
    findings.push(
      warning(
        'sign_up',
        'SIGN_UP=open without SMTP_URL: anybody can make an account with an address that is not theirs',
        'set SMTP_URL and MAIL_FROM, or SIGN_UP=invitation',
      ),
    )
  } else findings.push(ok('sign_up', WHO[signUp]))
  return findings
}

const WHO = {
  invitation: 'who is invited can make an account',
  open: 'anybody who confirms an address can make an account',
  closed: 'the operator alone makes accounts, by users create',
} as const

/** Whether messages can be sent: asks the mail server, and sends none. */
export async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail === null) {
    return ok(
      'mail',
      'no messages are sent; `users reset-link` prints where somebody resets their password',
    )
  }
  const { protocol, hostname, host, username, searchParams } = new URL(mail.url.reveal())
  try {
    await tryOutSmtp(mail.url)
  } catch (error) {
    const { code, responseCode, message } = error as Error & {
      code?: string
      responseCode?: number
    }
    const reason = [code, responseCode].filter(Boolean).join(' ') || message
    return problem(
      'mail',
      `the mail server ${host} can't be used (${reason})`,
      'check SMTP_URL: host, port, smtp:// or smtps://, user name and password (percent-encoded)',
    )
  }
  const plain =
    protocol === 'smtp:' && !isLoopback(hostname) && searchParams.get('requireTLS') !== 'true'
  if (plain && (username === '' || searchParams.has('requireTLS'))) {
    return warning(
      'mail',
      `messages may go to ${host} without TLS, and who reads them can reset passwords`,
      'use smtps://, or add ?requireTLS=true to SMTP_URL',
    )
  }
  return ok('mail', `${host} takes messages from ${mail.from}`)
}

/** Whether single sign-on's provider is there and is who it should be. */
export async function checkSingleSignOn({ oidc, baseUrl }: Config): Promise<Finding[]> {
  if (oidc === null) return []
  const check = 'single_sign_on'
  try {
    await discover(oidc)
  } catch (error) {
    const advice = 'check OIDC_ISSUER; its description lies below it, see docs/accounts.md'
    return [problem(check, (error as Error).message, advice)]
  }
  const back = `${baseUrl ?? ''}/app/api/auth/callback/oidc`
  return baseUrl === null
    ? [warning(check, 'BASE_URL is not set, and the provider has to know it', 'set BASE_URL')]
    : [ok(check, `${oidc.issuer} answers; it must allow the redirect address ${back}`)]
}

/** Whether there is somebody who can sign in. */
export function checkAccounts(dataDir: string): Finding {
  const { raw, close } = openSqlite(databaseFiles(dataDir).main, { readonly: true })
  try {
    const { n } = raw.query('SELECT count(*) AS n FROM users').get() as { n: number }
    return accountsOf(n)
  } finally {
    close()
  }
}

/** What there is to say of so many accounts. */
export function accountsOf(n: number): Finding {
  return ok(
    'accounts',
    n === 0 ? 'none yet: `serve` and `users claim-link` print where the first one is made' : `${n}`,
  )
}
