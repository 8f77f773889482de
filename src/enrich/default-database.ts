import file from '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb' with {
  type: 'file',
}

/**
 * Path of the country database that comes with Slugline: the registries' own records, CC BY 4.0 by the
 * NRO (see NOTICE). `bun build --compile` embeds the file; only the program can then read the path.
 */
export function defaultDatabase(): string {
  return file
}
