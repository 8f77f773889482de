/** The URL under which this machine reaches a server that listens on `host`. */
export function listeningUrl(host: string, port: number): string {
  if (isWildcard(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether listening on `host` means on all networks of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || /^[0:]+$/.test(host)
}
