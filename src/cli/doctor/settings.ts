import { checkGeoipDatabase } from '../../clicks/enrich/places.ts'
import { discover } from '../../features/accounts/oidc.ts'
import { isLoopback } from '../../features/accounts/site.ts'
import {
  type Config,
  type Environment,
  isWildcard,
  listeningUrl,
} from '../../platform/config/index.ts'
import { tryOutSmtp } from '../../platform/mail/smtp.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const GEOIP_MAX_AGE_MS = 365 * 86_400_000

/** Warnings about valid settings. @throws ConfigError */
export function checkSettings(
  { config, idle }: Environment,
  unknown: readonly string[],
): Finding[] {
  const findings = unknown.map((name) =>
    warning('configuration', `${name} is set, but there is no such setting`, 'check its name'),
  )
  for (const { variable, needs } of idle) {
    const message = `${variable} has no effect, because ${needs} is not set`
    findings.push(warning('configuration', message, `set ${needs} too, or neither`))
  }
  const built = checkGeoipDatabase(config.geoipDatabase)?.built
  if (built && Date.now() - built.getTime() > GEOIP_MAX_AGE_MS) {
    const message = `GEOIP_DATABASE was made on ${built.toISOString().slice(0, 10)}`
    findings.push(warning('places', message, 'get a newer file'))
  }
  const risks = [...risksOf(config)]
  for (const check of ['base_url', 'trusted_proxies', 'sign_in', 'sign_up']) {
    findings.push(risks.find((risk) => risk.check === check) ?? ok(check, 'ok'))
  }
  return findings
}

/** Settings that are valid, but unsafe or probably a mistake. */
function* risksOf(config: Config): Generator<Finding> {
  const { baseUrl, host, port, scaled, trustedProxies, signUp, mail } = config
  const proxy = "set it to the proxy's address, like 127.0.0.1"
  if (baseUrl === null && (scaled !== null || isWildcard(host))) {
    const message = 'BASE_URL is not set: short links begin with what each machine listens on'
    yield warning('base_url', message, 'set BASE_URL to the public address, like https://sho.rt')
  }
  if (trustedProxies.some((network) => network.endsWith('/0'))) {
    const message = 'TRUSTED_PROXIES has every address: any visitor can claim any address'
    yield problem('trusted_proxies', message, proxy)
  }
  if (trustedProxies.length === 0 && baseUrl?.startsWith('https:')) {
    const message =
      'BASE_URL is https, but TRUSTED_PROXIES is empty: all visitors seem to come from the proxy'
    yield warning('trusted_proxies', message, proxy)
  }
  const { protocol, hostname } = new URL(baseUrl ?? listeningUrl(host, port))
  if (protocol === 'http:' && !isLoopback(hostname)) {
    const message = 'there is no TLS: passwords and sessions can be read on the way; no passkeys'
    yield warning('sign_in', message, 'let a proxy end TLS, and set BASE_URL to the https address')
  }
  if (signUp === 'open' && mail === null) {
    const message = 'SIGN_UP=open without SMTP_URL: the addresses of accounts are not confirmed'
    yield warning('sign_up', message, 'set SMTP_URL and MAIL_FROM, or SIGN_UP=invitation')
  }
}

/** Whether email can be sent: connects to the mail server, without sending. */
export async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail === null) return ok('mail', 'none is sent; `users reset-link` prints links instead')
  const { protocol, hostname, host, username, searchParams } = new URL(mail.url.reveal())
  await tryOutSmtp(mail.url)
  const tls = searchParams.get('requireTLS')
  const needsTls = protocol === 'smtps:' || tls === 'true' || (username !== '' && tls === null)
  if (needsTls || isLoopback(hostname)) return ok('mail', `${host} takes messages`)
  const message = `messages may go to ${host} without TLS: their readers could reset passwords`
  return warning('mail', message, 'use smtps://, or add ?requireTLS=true to SMTP_URL')
}

/** Whether the provider of single sign-on responds and is the configured one. */
export async function checkSingleSignOn({ oidc, baseUrl }: Config): Promise<Finding[]> {
  if (oidc === null) return []
  await discover(oidc)
  const back = `${baseUrl ?? 'BASE_URL'}/app/api/auth/callback/oidc`
  return [ok('single_sign_on', `${oidc.issuer} answers; it must allow the redirect to ${back}`)]
}
