import { createOpenLimit } from '../../platform/limits/index.ts'
import type { Outgoing } from '../../platform/outgoing/index.ts'
import { NO_DETAILS, type PageDetails, readPage } from './read-page.ts'

/** Requests at the same time, of a person, of a workspace, and in total. */
const OPEN_EACH = 4
const OPEN_MAX = 64
/** For a page with its redirects. */
const TIMEOUT_MS = 5_000
/** The most bytes of a page. */
const BYTES_MAX = 512 * 1_024
/** Nothing is answered no sooner than this: how long a failure takes tells what has failed. */
const CONSTANT_MS = 1_000
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i

type Opener = Parameters<ReturnType<typeof createOpenLimit>['take']>[0]

export type PageDetailsService = ReturnType<typeof createPageDetails>

/** Asks destinations for their title, description and picture. */
export function createPageDetails({
  outgoing,
  constantMs = CONSTANT_MS,
}: {
  outgoing: Pick<Outgoing, 'send'>
  constantMs?: number
}) {
  const limit = createOpenLimit(OPEN_EACH, OPEN_MAX)

  async function fetchDetails(url: URL): Promise<PageDetails> {
    const {
      status,
      headers,
      body,
      url: at,
    } = await outgoing.send(url, {
      accept: 'text/html,application/xhtml+xml',
      timeoutMs: TIMEOUT_MS,
      cutAtBytes: BYTES_MAX,
    })
    const type = headers['content-type']
    const isEncoded = !/^(?:identity)?$/i.test(String(headers['content-encoding'] ?? ''))
    const isPage = status >= 200 && status < 300 && typeof type === 'string' && HTML.test(type)
    return isPage && !isEncoded ? await readPage(body, type, at) : NO_DETAILS
  }

  return {
    /**
     * The details of a page. None, whatever the reason: a page without any, a host that doesn't
     * answer, and an address that may not be called look the same.
     * @throws AppError RATE_LIMITED
     */
    async read(opener: Opener, url: URL): Promise<PageDetails> {
      const release = limit.take(opener)
      try {
        const even = Bun.sleep(constantMs)
        const details = await fetchDetails(url).catch(() => NO_DETAILS)
        if (Object.values(details).every((value) => value === null)) await even
        return details
      } finally {
        release()
      }
    },
  }
}
