import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '../../platform/config/fault.ts'
import { defaultDatabase } from './default-database.ts'
import { checkGeoipDatabase, openPlaces, placeOf } from './places.ts'
import { makeDatabase } from './testing/mmdb.ts'

let dir: string
let file: string
let places: ReturnType<typeof openPlaces> | null = null

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-places-'))
  file = join(dir, 'city.mmdb')
})

afterEach(() => {
  places?.close()
  places = null
  rmSync(dir, { recursive: true, force: true })
})

const BERLIN = {
  city: { geoname_id: 2950159, names: { de: 'Berlin', en: 'Berlin' } },
  country: { iso_code: 'DE', names: { en: 'Germany' } },
  subdivisions: [{ iso_code: 'BE', names: { en: 'Land Berlin' } }],
}
const NOWHERE = { country: null, region: null, city: null }

describe('the built-in country database', () => {
  test.each([
    ['8.8.8.0', 'US'],
    ['193.0.6.0', 'NL'],
    ['5.9.0.0', 'DE'],
    ['133.242.0.0', 'JP'],
    ['200.160.2.0', 'BR'],
    ['2001:4860:4860::', 'US'],
    ['2a01:4f8::', 'DE'],
  ])('%s is in %s', (network, country) => {
    places = openPlaces({ database: null })
    expect(places.find(network)).toEqual({ country, region: null, city: null })
  })

  test.each(['', 'x', '127.0.0.0', '10.1.2.0', '192.168.1.0', '169.254.0.0', '100.64.0.0', '::'])(
    '%j is nowhere',
    (network) => {
      places = openPlaces({ database: null })
      expect(places.find(network)).toEqual(NOWHERE)
    },
  )

  test.each(['fd00::', 'fe80::', '192.0.2.0', '2001:db8::'])('%s has no country', (network) => {
    places = openPlaces({ database: null })
    expect(places.find(network)).toEqual(NOWHERE)
  })
})

describe("an operator's database", () => {
  test('has regions and cities', () => {
    writeFileSync(
      file,
      makeDatabase('GeoLite2-City', { '5.9.0.0/16': BERLIN, '2a01:4f8::/32': BERLIN }),
    )
    places = openPlaces({ database: file })
    const berlin = { country: 'DE', region: 'DE-BE', city: 'Berlin' }
    expect(places.find('5.9.1.0')).toEqual(berlin)
    expect(places.find('2a01:4f8:1::')).toEqual(berlin)
    expect(places.find('5.10.0.0')).toEqual(NOWHERE)
  })

  test('is reloaded when it changes, and kept while the new one is broken', async () => {
    const levels: string[] = []
    const changed = Promise.withResolvers<void>()
    const refused = Promise.withResolvers<void>()
    const logger = {
      info: () => {
        levels.push('info')
        changed.resolve()
      },
      warn: () => {
        levels.push('warn')
        refused.resolve()
      },
    }
    writeFileSync(file, makeDatabase('Test', { '5.9.0.0/16': { country_code: 'DE' } }))
    places = openPlaces({ database: file, logger, checkEveryMs: 2 })
    expect(places.find('5.9.1.0').country).toBe('DE')
    writeFileSync(file, 'not yet whole')
    await refused.promise
    expect(places.find('5.9.1.0').country).toBe('DE')
    writeFileSync(`${file}.new`, makeDatabase('Test', { '5.9.0.0/16': { country_code: 'AT' } }))
    renameSync(`${file}.new`, file)
    await changed.promise
    expect(places.find('5.9.1.0').country).toBe('AT')
    expect(levels).toEqual(['warn', 'info'])
  })

  test('that was deleted since the start is replaced by the built-in one', () => {
    let warnings = 0
    const logger = { info() {}, warn: () => void warnings++ }
    places = openPlaces({ database: file, logger })
    expect(places.find('5.9.1.0').country).toBe('DE')
    expect(warnings).toBe(1)
  })
})

describe('a file at the start', () => {
  const check = () => checkGeoipDatabase(file)

  test('is checked, and reported with its type', () => {
    writeFileSync(file, makeDatabase('GeoLite2-City', { '5.0.0.0/8': BERLIN }))
    expect(check()).toEqual({ type: 'GeoLite2-City', built: new Date(1_790_000_000_000) })
    expect(checkGeoipDatabase(null)).toBeNull()
  })

  test.each<[string, () => void]>([
    ['is not there', () => {}],
    ['is text', () => writeFileSync(file, 'countries')],
    ['is empty', () => writeFileSync(file, '')],
    [
      'is half',
      () => {
        const whole = readFileSync(defaultDatabase())
        writeFileSync(file, whole.subarray(0, whole.length / 2))
      },
    ],
    [
      'has lost its middle',
      () => {
        const whole = readFileSync(defaultDatabase())
        writeFileSync(file, Buffer.concat([whole.subarray(0, 1_000), whole.subarray(-2_000)]))
      },
    ],
    [
      'tells no countries',
      () => {
        const asn = { autonomous_system_number: 24940 }
        writeFileSync(file, makeDatabase('GeoLite2-ASN', { '5.0.0.0/8': asn }))
      },
    ],
  ])('that %s stops it', (_, write) => {
    write()
    expect(check).toThrow(ConfigError)
    expect(check).toThrow(/^GEOIP_DATABASE names .*city\.mmdb/)
  })
})

test.each([
  [BERLIN, { country: 'DE', region: 'DE-BE', city: 'Berlin' }],
  [{ country: { iso_code: 'FR' } }, { country: 'FR', region: null, city: null }],
  [
    { country_code: 'de', city: 'Köln' },
    { country: 'DE', region: null, city: 'Köln' },
  ],
  [
    { country: 'US', country_name: 'United States' },
    { ...NOWHERE, country: 'US' },
  ],
  [
    { ...BERLIN, subdivisions: [{ names: { en: 'Berlin' } }] },
    { country: 'DE', region: null, city: 'Berlin' },
  ],
  [{ country_code: 'EU' }, NOWHERE],
  [{ country_code: 'ZZ' }, NOWHERE],
  [{ registered_country: { iso_code: 'DE' } }, NOWHERE],
  [{ country: { iso_code: 7 } }, NOWHERE],
  [null, NOWHERE],
  ['DE', NOWHERE],
])('%j is %j', (entry, place) => {
  expect(placeOf(entry)).toEqual(place)
})
