/** Two years, without subdomains: they may belong to others (RFC 6797 §6.1). */
const HSTS = { 'Strict-Transport-Security': 'max-age=63072000' } as const

/** The header that keeps browsers on TLS, if the public address is https; otherwise nothing. */
export function hstsOf(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? HSTS : {}
}

/** `Permissions-Policy`: no page uses a device or sensor of the visitor. */
export const PERMISSIONS_POLICY = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/**
 * The most bytes of a `Location` header that proxies forward with the buffers of docs/operating.md.
 * Destinations are checked against it as they are sent, percent-encoded.
 */
export const LOCATION_BYTES_MAX = 8_192
