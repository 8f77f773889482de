/** The address under which a server that listens on `host` is reached from this machine. */
export function listeningUrl(host: string, port: number): string {
  if (isWildcard(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether listening on `host` means every network of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || /^[0:]+$/.test(host)
}
