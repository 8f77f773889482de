/** Two years, subdomains left alone: they may belong to others (RFC 6797 §6.1). */
const HSTS = { 'Strict-Transport-Security': 'max-age=63072000' } as const

/** The header that keeps browsers on TLS, where the public address is https; else nothing. */
export function hstsOf(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? HSTS : {}
}

/** `Permissions-Policy`: nothing here needs a device or a sensor of the visitor. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/**
 * The most bytes of a `Location` header: what proxies pass on with the buffers that
 * docs/operating.md sets. Destinations are checked against it as they are sent, percent-encoded.
 */
export const LOCATION_BYTES_MAX = 8_192
