import { promises as dns, type LookupAddress } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
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
  headers: Readonly<Record<string, string | string[] | undefined>>
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

/** Calls hosts named by clients. */
export type Outgoing = ReturnType<typeof createOutgoing>

const REDIRECTS_MAX = 5
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
 * Calls hosts named by clients, in public networks only. A name is resolved once per connection,
 * and the connection goes to the addresses that were checked; likewise for redirects.
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
    const host = hostname.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const found = family === 0 ? await resolve(host) : [{ address: host, family }]
    if (!found.every(({ address }) => allows(address))) throw new AddressNotAllowed()
    return found
  }

  const lookup: LookupFunction = (host, { all }, done) => {
    addressesOf(host).then(
      (found) => {
        const [first] = found
        if (first === undefined) done(new Error('No address'), '')
        else if (all) done(null, found)
        else done(null, first.address, first.family)
      },
      (error) => done(error, ''),
    )
  }

  async function once(url: URL, request: OutgoingRequest): Promise<OutgoingAnswer> {
    // An IP address isn't looked up, so it is checked here.
    if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) await addressesOf(url.hostname)
    return requestBy(lookup, url, request)
  }

  async function follow(
    url: URL,
    { followRedirects = true, headers = {}, body, ...rest }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<OutgoingAnswer> {
    let at = url
    for (let redirects = 0; ; redirects++) {
      const own = at.origin === url.origin ? { headers, ...(body && { body }) } : {}
      const answer = await once(at, { ...rest, ...own, signal }).catch((error) => {
        // `node:http` names the reason only as a cause.
        throw signal.aborted ? signal.reason : error
      })
      const { location } = answer.headers
      const isRedirect = answer.status >= 300 && answer.status < 400
      if (!isRedirect || !followRedirects || typeof location !== 'string') return answer
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
      // `AbortSignal.timeout` would keep the request in memory until the time is over.
      const late = () => ended.abort(new DOMException('No answer in time', 'TimeoutError'))
      const timer = setTimeout(late, timeoutMs)
      const stop = () => ended.abort(given?.reason)
      given?.addEventListener('abort', stop)
      try {
        return await follow(url, asked, ended.signal)
      } finally {
        clearTimeout(timer)
        given?.removeEventListener('abort', stop)
      }
    },
  }
}

/** Requests once, at an address that `lookup` finds. */
function requestBy(
  lookup: LookupFunction,
  url: URL,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const {
    method = 'GET',
    headers = {},
    body,
    signal,
    cutAtBytes = Number.POSITIVE_INFINITY,
  } = request
  const { accept: Accept = 'application/json' } = request
  const { request: send } = url.protocol === 'https:' ? https : http
  const isForm = typeof body === 'object'
  const text = isForm ? new URLSearchParams(body).toString() : body
  const type = body !== undefined && {
    'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  }
  return new Promise((done, fail) => {
    const sent = send(url, {
      method,
      headers: { ...OWN_HEADERS, Accept, ...type, ...headers },
      lookup,
      agent: false,
      ...(signal && { signal }),
    })
    sent.on('error', fail)
    sent.on('response', (answer) => {
      const parts: Buffer[] = []
      let length = 0
      const end = () => {
        const { statusCode: status = 0, headers: given } = answer
        done({ status, headers: given, body: Buffer.concat(parts).subarray(0, cutAtBytes), url })
      }
      answer.on('error', fail)
      answer.on('data', (part: Buffer) => {
        parts.push(part)
        length += part.length
        if (length >= cutAtBytes) {
          end()
          sent.destroy()
        } else if (length > ANSWER_BYTES_MAX) sent.destroy(new AnswerTooLarge())
      })
      answer.on('end', end)
    })
    sent.end(text)
  })
}
