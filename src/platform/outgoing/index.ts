import { promises as dns, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { isWithin, parseAddress, parseNetworks } from '../../lib/base/networks.ts'

/** This instance may not call the address. */
export class AddressNotAllowed extends Error {
  override name = 'AddressNotAllowed'
}

/** A response has more bytes than are read. */
export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge'
}

/** A response, whatever its status. */
export interface OutgoingAnswer {
  status: number
  headers: Headers
  body: Buffer
  /** What was requested last, after redirects. */
  url: URL
}

/** A request to a host named by a client. */
interface OutgoingRequest {
  method?: 'GET' | 'POST'
  /** Sent to this origin only, not to those that it redirects to. */
  headers?: Readonly<Record<string, string>>
  /** A form, or JSON text. */
  body?: Readonly<Record<string, string>> | string
  /** False: a redirect is the answer. */
  followRedirects?: boolean
  signal?: AbortSignal
  /** Media types; by default JSON. */
  accept?: string
  /** For the request with its redirects, until the last byte of the response. */
  timeoutMs?: number
  /** Reading stops after this many bytes; by default, a longer response is an error. */
  cutAtBytes?: number
}

type SignalledRequest = OutgoingRequest & { signal: AbortSignal }

/** Calls hosts named by clients. */
export type Outgoing = ReturnType<typeof createOutgoing>

const REDIRECTS_MAX = 5
/** The most addresses of a name that are tried. */
const ADDRESSES_MAX = 4
const TIMEOUT_MS = 30_000
/** The only global unicast range; the others are unassigned or map to IPv4. */
const GLOBAL_IPV6 = parseNetworks(['2000::/3'])
/** The most bytes of a response. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024

/** Nothing is decompressed, so that a response is as large as it arrives. */
const OWN_HEADERS = {
  'Accept-Encoding': 'identity',
  'User-Agent': 'Slugline',
}

type Resolve = (host: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = (host) => dns.lookup(host, { all: true, verbatim: true })

/**
 * Calls hosts named by clients, in public networks only. A name is resolved once per request, and
 * the connection goes to an address that was checked; likewise for redirects.
 * @param allowedNetworks further networks (CIDR) that may be called
 */
export function createOutgoing({
  allowedNetworks = [],
  resolve = resolveBySystem,
}: {
  allowedNetworks?: readonly string[]
  resolve?: Resolve
} = {}) {
  const networks = parseNetworks(allowedNetworks)

  function allows(text: string): boolean {
    const address = parseAddress(text)
    const isGlobal = address?.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6)
    return (address?.range() === 'unicast' && isGlobal) || isWithin(address, networks)
  }

  /** @throws AddressNotAllowed when one of its addresses isn't allowed */
  async function addressesOf(hostname: string): Promise<LookupAddress[]> {
    const host = withoutBrackets(hostname)
    const family = isIP(host)
    const found = family === 0 ? await resolve(host) : [{ address: host, family }]
    if (!found.every(({ address }) => allows(address))) throw new AddressNotAllowed()
    return found
  }

  /** Requests once. The next address is tried when there was no connection to one. */
  async function once(url: URL, request: SignalledRequest): Promise<OutgoingAnswer> {
    const found = await unlessAborted(addressesOf(url.hostname), request.signal)
    const addresses = found.slice(0, ADDRESSES_MAX)
    for (const [i, { address }] of addresses.entries()) {
      try {
        return await requestAt(address, url, request)
      } catch (error) {
        const { code } = error as { code?: string }
        if (code !== 'ECONNREFUSED' || i === addresses.length - 1) throw error
      }
    }
    throw new Error('No address')
  }

  /** Requests, and follows redirects. */
  async function follow(url: URL, request: SignalledRequest): Promise<OutgoingAnswer> {
    const { followRedirects = true, headers = {}, body, ...rest } = request
    let at = url
    for (let redirects = 0; ; redirects++) {
      const own = at.origin === url.origin ? { headers, ...(body && { body }) } : {}
      const answer = await once(at, { ...rest, ...own })
      const location = answer.headers.get('location')
      const isRedirect = answer.status >= 300 && answer.status < 400
      if (!isRedirect || !followRedirects || location === null) return answer
      const next = URL.parse(location, at.href)
      if (next === null || !/^https?:$/.test(next.protocol) || redirects === REDIRECTS_MAX) {
        throw new Error('The redirect has no valid location')
      }
      at = next
    }
  }

  return {
    /** @throws AddressNotAllowed */
    async check(url: URL): Promise<void> {
      // A name that doesn't exist now may exist later.
      await addressesOf(url.hostname).catch((error) => {
        if (error instanceof AddressNotAllowed) throw error
      })
    },

    /**
     * Follows redirects.
     * @throws AddressNotAllowed, {@link AnswerTooLarge}, `TimeoutError`; other errors when there is no
     *   answer
     */
    async send(url: URL, request: OutgoingRequest = {}): Promise<OutgoingAnswer> {
      const { signal: given, timeoutMs = TIMEOUT_MS, ...asked } = request
      given?.throwIfAborted()
      const ended = new AbortController()
      const { signal } = ended
      // A signal with a timeout of its own would live, with its request, until that is over.
      const late = () => ended.abort(new DOMException('No answer in time', 'TimeoutError'))
      const timer = setTimeout(late, timeoutMs)
      const stop = () => ended.abort(given?.reason)
      given?.addEventListener('abort', stop)
      try {
        return await follow(url, { ...asked, signal })
      } finally {
        clearTimeout(timer)
        given?.removeEventListener('abort', stop)
      }
    },
  }
}

/** A request to an address of the URL's host. A certificate has to be that of the host. */
async function requestAt(
  address: string,
  url: URL,
  request: SignalledRequest,
): Promise<OutgoingAnswer> {
  const { method = 'GET', headers, body, signal, accept = 'application/json' } = request
  const at = new URL(url)
  at.hostname = isIP(address) === 6 ? `[${address}]` : address
  const host = withoutBrackets(url.hostname)
  // Setting an invalid host name changes nothing.
  if (isIP(withoutBrackets(at.hostname)) === 0) throw new AddressNotAllowed()
  const isForm = typeof body === 'object'
  const type = body !== undefined && {
    'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  }
  const response = await fetch(at, {
    method,
    headers: { ...OWN_HEADERS, Host: url.host, Accept: accept, ...type, ...headers },
    body: isForm ? new URLSearchParams(body).toString() : body,
    signal,
    redirect: 'manual',
    decompress: false,
    // Not to a proxy of the environment, which would connect to any address.
    proxy: false,
    // A connection is for the host whose certificate was checked.
    keepalive: false,
    ...(isIP(host) === 0 && { tls: { serverName: host } }),
  })
  const { status } = response
  return { status, headers: response.headers, body: await readBody(response, request), url }
}

async function readBody(
  { body }: Response,
  { cutAtBytes = Number.POSITIVE_INFINITY }: OutgoingRequest,
): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    parts.push(part)
    length += part.length
    if (length >= cutAtBytes) break
    if (length > ANSWER_BYTES_MAX) throw new AnswerTooLarge()
  }
  return Buffer.concat(parts).subarray(0, cutAtBytes)
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '')

/** The result of what can't be aborted itself; or the signal's reason. */
function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((done, fail) => {
    const abort = () => fail(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    result.then(done, fail).finally(() => signal.removeEventListener('abort', abort))
  })
}
