import { readFileSync, statSync } from 'node:fs'
import { Reader, type Response } from 'maxmind'
import type { Logger } from '../../lib/base/logger.ts'
import { createMemo } from '../../lib/base/memo.ts'
import { ConfigError } from '../../platform/config/fault.ts'
import { defaultDatabase } from './default-database.ts'

/** The place of a network, as far as the database knows. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null
  /** ISO 3166-2. */
  readonly region: string | null
  /** In English. */
  readonly city: string | null
}

/** A network without known place. */
const NOWHERE: Place = { country: null, region: null, city: null }

const CITY_LENGTH = 100
/** Codes that registries use without a country: Europe, Asia/Pacific, unknown. */
const NO_COUNTRY = new Set(['EU', 'AP', 'XX', 'ZZ'])

/** What is wrong with a database, as the end of a sentence that begins with its name. */
class PlacesUnusable extends Error {
  override name = 'PlacesUnusable'
}

/** Times in milliseconds. */
export interface PlacesOptions {
  /** Path of an operator's `.mmdb`; null: the built-in country database. */
  database: string | null
  logger?: Pick<Logger, 'info' | 'warn'> | undefined
  /** How often the operator's file is checked for changes. */
  checkEveryMs?: number
}

/** /24s and /48s are cached, because a look-up traverses the tree bit by bit. */
const NETWORKS_REMEMBERED = 20_000
const CHECK_EVERY_MS = 60_000

/**
 * Opens the database, reading it into memory: a memory-mapped file would change under an updater
 * that overwrites it in place. The operator's is reloaded when it changes; if it becomes unusable,
 * the last good one stays, at first the built-in one. Never throws: clicks are more important than
 * their countries.
 */
export function openPlaces({ database, logger, checkEveryMs }: PlacesOptions) {
  let reader: Reader<Response> | null = null
  let seen = ''
  const find = createMemo(NETWORKS_REMEMBERED, (network: string): Place => {
    if (reader === null || !isPublic(network)) return NOWHERE
    try {
      return placeOf(reader.get(network))
    } catch {
      return NOWHERE
    }
  })

  /** Replaces the database in use, unless the new one can't be read. */
  function open(file: string): boolean {
    try {
      reader = readPlaces(file)
      find.clear()
      return true
    } catch (error) {
      logger?.warn({ err: error, file }, 'The GeoIP database can not be used')
      return false
    }
  }

  function reopen(file: string): void {
    const state = stateOf(file)
    if (state === seen || state === '') return
    seen = state
    if (open(file)) logger?.info({ file }, 'The GeoIP database was reloaded')
  }

  let timer: Timer | undefined
  if (database !== null) {
    seen = stateOf(database)
    timer = setInterval(reopen, checkEveryMs ?? CHECK_EVERY_MS, database)
    timer.unref()
  }
  if (database === null || !open(database)) open(defaultDatabase())

  return {
    /** The place of a truncated address, as in records; empty: unknown. */
    find,
    close(): void {
      clearInterval(timer)
      reader = null
      find.clear()
    },
  }
}

/** The same, opened on demand: it takes tens of megabytes. */
export function createPlaceLookup(options: PlacesOptions): (network: string) => Place {
  let places: ReturnType<typeof openPlaces> | undefined
  return (network) => {
    places ??= openPlaces(options)
    return places.find(network)
  }
}

/** Networks around the world; a database that knows none of them may still know others. */
const PROBES = [...'2001:67c:2e8:: 2001:218:: 2001:4860:4860:: 2a01:4f8:: 2400:cb00::'.split(' ')]
for (let first = 1; first < 224; first++) {
  for (const second of [0, 2, 65, 128, 190]) PROBES.push(`${first}.${second}.0.0`)
}

/** Opens a database. @throws PlacesUnusable if no country can be found in it */
function readPlaces(file: string): Reader<Response> {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new PlacesUnusable(`can't be read (${(error as NodeJS.ErrnoException).code})`)
  }
  let reader: Reader<Response>
  let entries = 0
  try {
    reader = new Reader<Response>(bytes)
    for (const network of PROBES) {
      if (reader.metadata.ipVersion === 4 && network.includes(':')) continue
      const entry = reader.get(network)
      if (placeOf(entry).country !== null) return reader
      if (entry !== null) entries++
    }
  } catch (error) {
    const isMmdb = bytes.includes('MaxMind.com', Math.max(0, bytes.length - 131_072))
    throw new PlacesUnusable(isMmdb ? 'is damaged' : "isn't a MaxMind database (.mmdb)", {
      cause: error,
    })
  }
  if (entries === 0) return reader
  const type = reader.metadata.databaseType
  throw new PlacesUnusable(`has no countries: it is a database of the type ${type}`)
}

/** Checks an operator's geolocation database before the start. @throws ConfigError */
export function checkGeoipDatabase(file: string | null): { type: string; built: Date } | null {
  if (file === null) return null
  try {
    const { metadata } = readPlaces(file)
    return { type: metadata.databaseType, built: metadata.buildEpoch }
  } catch (error) {
    if (!(error instanceof PlacesUnusable)) throw error
    throw new ConfigError([
      {
        variable: 'GEOIP_DATABASE',
        problem: `names ${file}, which ${error.message}`,
        example: '/var/lib/GeoIP/GeoLite2-City.mmdb',
      },
    ])
  }
}

/** Changes whenever the file does; empty if there is none. */
function stateOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
}

/**
 * Private networks, loopback, documentation, multicast (IANA's special-purpose registries), as far
 * as a /24 or a /48 shows.
 */
const SPECIAL =
  /^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|192\.0\.[02]|198\.1[89]|198\.51\.100|203\.0\.113|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|22[4-9]|2[3-5]\d)\.|^(?:::|f[cdf]|fe[89a-f]|2001:db8:)/

function isPublic(network: string): boolean {
  return network !== '' && !SPECIAL.test(network)
}

/**
 * Reads an entry of a database in one of the usual formats: MaxMind's and DB-IP's
 * (`country.iso_code`, `subdivisions`, `city.names.en`), ip-location-db's and IPinfo's
 * (`country_code`, `city`, flat).
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

/** The first subdivision is the largest: a state rather than a county. */
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
