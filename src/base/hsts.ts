/** Two years, subdomains left alone: they may belong to others (RFC 6797 §6.1). */
const HSTS = { 'Strict-Transport-Security': 'max-age=63072000' } as const

/** The header that keeps browsers on TLS, where the public address is https; else nothing. */
export function hstsOf(baseUrl: string): Readonly<Record<string, string>> {
  return baseUrl.startsWith('https:') ? HSTS : NOTHING
}

const NOTHING = {} as const
