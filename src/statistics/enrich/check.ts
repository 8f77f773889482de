import { ConfigError } from '../../config/fault.ts'
import { PlacesUnusable, readPlaces } from './places.ts'

/** Checks an operator's database of places before anything starts. @throws ConfigError */
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
