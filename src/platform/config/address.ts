/** What a HOST begins with that is the path of a Unix socket. */
export const SOCKET_PREFIX = 'unix:'

/** The path of the Unix socket to listen on; null: `host` is an address or a name. */
export function socketPath(host: string): string | null {
  return host.startsWith(SOCKET_PREFIX) ? host.slice(SOCKET_PREFIX.length) : null
}

/** The URL under which this machine reaches a server that listens on `host`; `unix:` and a path, of a socket. */
export function listeningUrl(host: string, port: number): string {
  if (socketPath(host) !== null) return host
  if (isWildcard(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether listening on `host` means on all networks of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || /^[0:]+$/.test(host)
}
