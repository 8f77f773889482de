import type { Ids } from '../base/ids.ts'

/** Makes the id of each request: `req_` and 26 base32 characters, sorted by time. */
export type RequestIds = () => string

/** The one source of request ids, for the API, the pages and the redirect alike. */
export function createRequestIds(ids: Ids): RequestIds {
  return () => ids.next('req')
}

const CLIENT_ID = /^[A-Za-z0-9._-]{8,128}$/

/** The id that the client gave its request, if it is fit to be logged. It is never echoed. */
export function clientRequestId(headers: Headers): string | undefined {
  const given = headers.get('x-request-id')
  return given !== null && CLIENT_ID.test(given) ? given : undefined
}
