/**
 * The most bytes of a `Location` header: what proxies pass on with the buffers that
 * docs/operating.md sets. Destinations are checked against it as they are sent, percent-encoded.
 */
export const LOCATION_BYTES_MAX = 8_192
