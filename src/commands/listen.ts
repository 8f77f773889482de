import type { Config } from '../config/config.ts'
import type { Serving } from '../operations/serving.ts'
import { CommandError } from './context.ts'

/**
 * Connections may be idle for this long, in seconds: longer than the 60 of common load balancers,
 * which must be the first to close, or they would send a request into a closing connection.
 */
const IDLE_SECONDS = 75

/**
 * No bound of Bun's own: it answers beyond that with a bare 413, before we can say it in the
 * form that the API promises. Handlers stop reading at their bounds, and what nobody reads is
 * not taken from the socket (measured: 400 MB sent, 3 MB received, memory unchanged).
 */
const MAX_BODY_BYTES = 2 ** 40

/**
 * Listens; requests that come before `serving` is there wait for it.
 * @throws CommandError when the address can't be had.
 */
export function listen({ host, port }: Config, serving: Promise<Pick<Serving, 'fetch'>>) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      // Else Bun shares the port with any other Bun of this user, and each gets half the requests.
      reusePort: false,
      fetch: async (request, server) => (await serving).fetch(request, server),
      // Bun would write the stack and the whole address to stderr.
      error: () => new Response(null, { status: 500, headers: { 'Cache-Control': 'no-store' } }),
    })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(`Can't listen on ${host}:${port}: ${reasonOf(code)}`, 1, 'LISTEN')
  }
}

function reasonOf(code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program does already. Stop it, or choose another PORT.'
    case 'EACCES':
      return 'this user may not. Choose a PORT from 1024 on, or grant CAP_NET_BIND_SERVICE.'
    case 'EADDRNOTAVAIL':
      return 'this machine has no such address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.'
    case 'EINVAL':
      return 'this name stands for no address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.'
    default:
      return `${code ?? 'unknown reason'}. Check HOST and PORT.`
  }
}
