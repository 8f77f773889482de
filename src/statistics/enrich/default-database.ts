import file from '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb' with {
  type: 'file',
}

/**
 * Path of the country database that comes with Slugline: addresses by the registries' own records,
 * CC BY 4.0 by the NRO (see NOTICE). `bun build --compile` embeds the file, and the path is then
 * one that only this program can read.
 */
export function defaultDatabase(): string {
  return file
}
