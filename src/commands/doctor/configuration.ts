import {
  type Config,
  ConfigError,
  type Environment,
  isWildcard,
  unknownVariables,
} from '../../config/index.ts'
import { loadPlans } from '../../plans/load.ts'
import type { Plan } from '../../plans/types.ts'
import { checkGeoipDatabase } from '../../statistics/enrich/check.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Networks change hands: a country that was right a year ago may be wrong. */
const PLACES_MAX_AGE_MS = 365 * 86_400_000

/** The settings, and every fault of them. They are null when nothing more can be checked. */
export async function checkConfiguration(
  read: () => Environment,
  unknown: () => string[] = unknownVariables,
): Promise<{
  settings: { environment: Environment; plans: readonly Plan[] } | null
  findings: Finding[]
}> {
  const findings = unknown().map((name) =>
    warning('configuration', `${name} is set, and Slugline has no such setting`, 'check its name'),
  )
  try {
    const environment = read()
    const plans = await loadPlans(environment.config.plansFile)
    findings.push(ok('configuration', `read; ${plans.length} plans`))
    for (const { variable, needs } of environment.idle) {
      findings.push(
        warning(
          'configuration',
          `${variable} does nothing, because ${needs} is not set`,
          `set ${needs} too, or neither`,
        ),
      )
    }
    findings.push(...checkPlaces(environment.config))
    findings.push(...checkAddresses(environment.config))
    return { settings: { environment, plans }, findings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const fault of error.faults) {
      findings.push(
        problem('configuration', `${fault.variable} ${fault.problem}`, `example: ${fault.example}`),
      )
    }
  }
  return { settings: null, findings }
}

/** @throws ConfigError */
function checkPlaces({ geoipDatabase }: Config): Finding[] {
  const database = checkGeoipDatabase(geoipDatabase)
  if (database === null) return []
  const { type, built } = database
  const text = `${type}, made on ${built.toISOString().slice(0, 10)}`
  return Date.now() - built.getTime() < PLACES_MAX_AGE_MS
    ? [ok('places', text)]
    : [warning('places', `${text}: over a year ago`, 'get a newer file for GEOIP_DATABASE')]
}

function checkAddresses({ host, baseUrl, trustedProxies, scaled }: Config): Finding[] {
  const findings: Finding[] = []
  if (baseUrl === null && scaled !== null) {
    findings.push(
      warning(
        'base_url',
        "each node's short links begin with what that node listens on",
        'set BASE_URL to the public address, like https://sho.rt, on all nodes',
      ),
    )
  } else if (baseUrl === null && isWildcard(host)) {
    findings.push(
      warning(
        'base_url',
        `HOST=${host} serves other machines, but short links begin with http://localhost`,
        'set BASE_URL to the public address, like https://sho.rt',
      ),
    )
  }
  const everyone = trustedProxies.filter((network) => network.endsWith('/0'))
  if (everyone.length > 0) {
    findings.push(
      problem(
        'trusted_proxies',
        `TRUSTED_PROXIES has ${everyone.join(', ')}: every visitor can claim any address`,
        "name the proxy's own address, like 127.0.0.1",
      ),
    )
  } else if (trustedProxies.length === 0 && baseUrl?.startsWith('https:')) {
    findings.push(
      warning(
        'trusted_proxies',
        'BASE_URL is https, so a proxy stands in front, but TRUSTED_PROXIES is empty: all ' +
          'visitors seem to come from the proxy',
        "set TRUSTED_PROXIES to the proxy's address, like 127.0.0.1",
      ),
    )
  } else {
    const whom = trustedProxies.length === 0 ? 'nobody' : trustedProxies.join(', ')
    findings.push(ok('trusted_proxies', `forwarding headers are believed of: ${whom}`))
  }
  return findings
}
