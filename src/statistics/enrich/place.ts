/** Where a network is, as far as the database knows. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** ISO 3166-2. */
  readonly region: string | null
  /** In English. */
  readonly city: string | null
}

/** A network that nothing is known of. */
export const NOWHERE: Place = { country: null, region: null, city: null }

const CITY_LENGTH = 100
/** Codes that registries use for no country: Europe, Asia/Pacific, unknown. */
const NO_COUNTRY = new Set(['EU', 'AP', 'XX', 'ZZ'])

/**
 * Reads an entry of a database in one of the usual forms: MaxMind's and DB-IP's
 * (`country.iso_code`, `subdivisions`, `city.names.en`), ip-location-db's and IPinfo's
 * (`country_code`, `city`, all flat).
 */
export function placeOf(entry: unknown): Place {
  if (!isObject(entry)) return NOWHERE
  const country = countryOf(entry)
  if (country === null) return NOWHERE
  return { country, region: regionOf(entry, country), city: cityOf(entry) }
}

function countryOf(entry: Entry): string | null {
  const { country } = entry
  const code = isObject(country) ? country.iso_code : (entry.country_code ?? country)
  if (typeof code !== 'string' || !/^[a-z]{2}$/i.test(code)) return null
  const upper = code.toUpperCase()
  return NO_COUNTRY.has(upper) ? null : upper
}

/** The first is the largest: a state rather than a county. */
function regionOf({ subdivisions }: Entry, country: string): string | null {
  const first = Array.isArray(subdivisions) ? subdivisions[0] : undefined
  const code = isObject(first) ? first.iso_code : undefined
  if (typeof code !== 'string' || !/^[a-z0-9]{1,3}$/i.test(code)) return null
  return `${country}-${code.toUpperCase()}`
}

function cityOf({ city }: Entry): string | null {
  const names = isObject(city) ? city.names : undefined
  const name = isObject(names) ? names.en : city
  return typeof name === 'string' && name !== '' ? name.slice(0, CITY_LENGTH) : null
}

type Entry = Record<string, unknown>

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null
}
