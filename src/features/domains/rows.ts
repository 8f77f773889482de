import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { slugFieldsOf } from '../../model/links/slug-settings.ts'
import type { Domain } from './schemas.ts'
import type { DomainRow } from './store.ts'

/** How long links of a host keep redirecting after its TXT record was found missing. */
export const GRACE_MS = 7 * 24 * 3_600_000

/** The TXT record that proves that a host belongs to its workspace. */
export function recordOf({ host, token }: Pick<DomainRow, 'host' | 'token'>) {
  return { name: `_slugline.${host}`, value: `slugline-verification=${token}` }
}

/** A domain as the API returns it. */
export function domainOf(row: DomainRow, links: number): Domain {
  const { checked_at, failing_since, lookup_error: error } = row
  return {
    id: row.id,
    host: row.host,
    status: row.status as Domain['status'],
    verification: {
      type: 'TXT',
      ...recordOf(row),
      checked_at: formatTimestamp(checked_at),
      found: JSON.parse(row.found) as string[],
      error,
      served_until: formatTimestamp(failing_since === null ? null : failing_since + GRACE_MS),
    },
    root_url: row.root_url,
    not_found_url: row.not_found_url,
    expired_url: row.expired_url,
    case_sensitive: row.case_sensitive === 1,
    ...slugFieldsOf(row.slug_settings),
    brand: brandOf(row),
    robots: row.robots,
    apple_app_site_association: parsed(row.apple_app_site_association),
    assetlinks: parsed(row.assetlinks),
    links,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
    version: row.version,
  }
}

/** The branding of public pages; null: Slugline's. */
export function brandOf({ brand }: Pick<DomainRow, 'brand'>): Domain['brand'] {
  const stored = parsed<NonNullable<Domain['brand']> & { colour?: string | null }>(brand)
  if (stored === null) return null
  // The name of the member in rows written before it was renamed.
  const { colour = null, ...rest } = stored
  return { ...rest, color: rest.color ?? colour }
}

/** Longer texts are recorded as their digest. */
const LOGGED_MAX = 2_048

/** The settings in the form of the audit log. */
export function settingsOf(row: Omit<DomainRow, 'no'>): Record<string, unknown> {
  return {
    root_url: row.root_url,
    not_found_url: row.not_found_url,
    expired_url: row.expired_url,
    case_sensitive: row.case_sensitive === 1,
    ...slugFieldsOf(row.slug_settings),
    brand: logged(row.brand),
    robots: row.robots,
    apple_app_site_association: logged(row.apple_app_site_association),
    assetlinks: logged(row.assetlinks),
  }
}

function logged(json: string | null): unknown {
  if (json === null || json.length <= LOGGED_MAX) return parsed(json)
  return `sha256:${new Bun.CryptoHasher('sha256').update(json).digest('hex')}`
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T)
}
