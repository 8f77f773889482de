import file from '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb' with {
  type: 'file',
}

/**
 * Path of the built-in country database: the registries' own records, CC BY 4.0 by the NRO (see
 * NOTICE). `bun build --compile` embeds the file; only the program itself can then read the path.
 */
export function defaultDatabase(): string {
  return file
}
