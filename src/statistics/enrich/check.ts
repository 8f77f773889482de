import { ConfigError } from '../../config/fault.ts'
import { inspectDatabase, PlacesUnusable } from './places.ts'

/**
 * Makes sure of an operator's database of places before anything starts.
 * @param file the setting's value; null: none was set.
 * @throws ConfigError that says what is wrong with the file.
 */
export function checkGeoipDatabase(file: string | null): { type: string; built: Date } | null {
  if (file === null) return null
  try {
    return inspectDatabase(file)
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
