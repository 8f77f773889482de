import { Redis } from 'ioredis'
import type { Logger } from '../../lib/base/logger.ts'
import type { Secret } from '../../lib/base/secret.ts'

const CONNECT_WITHIN_MS = 1_000
const RECONNECT_MOST_MS = 1_000

/**
 * Opens a connection that reconnects by itself. While it is lost, commands fail immediately instead
 * of waiting, and none is retried: the caller knows what is still worth sending.
 */
export function connectRedis(options: {
  /** `redis://` or, with TLS, `rediss://`; with user, password and database number if any. */
  url: Secret
  logger: Pick<Logger, 'info' | 'warn'>
  /** Its name in the server's list of clients. */
  name: string
}) {
  const { url, logger, name } = options
  const redis = new Redis(url.reveal(), {
    connectionName: name,
    connectTimeout: CONNECT_WITHIN_MS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: null,
    disableClientInfo: true,
    retryStrategy: (times) => Math.min(RECONNECT_MOST_MS, 25 * 2 ** Math.min(times, 10)),
    // A replica after a failover is read-only: the URL resolves to the new primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
  })
  let isUp: boolean | undefined
  let isClosing = false
  redis.on('ready', () => {
    if (isUp === false) logger.info({ connection: name }, 'Redis is back')
    isUp = true
  })
  // The message contains the address; the code is enough.
  redis.on('error', (error: Error & { code?: string }) => {
    if (isUp === false || isClosing) return
    isUp = false
    const code = error.code ?? /^[A-Z]+\b/.exec(error.message)?.[0] ?? error.name
    logger.warn({ connection: name, code }, 'Redis can not be reached')
  })
  redis.on('close', () => {
    if (isUp === true && !isClosing) {
      logger.warn({ connection: name }, 'The connection to Redis is lost')
    }
    isUp = false
  })
  return {
    redis,
    /** Closes it, in any state. */
    close() {
      isClosing = true
      redis.disconnect(false)
    },
  }
}

/** Whether commands can be sent. */
export function isReady(redis: Redis): boolean {
  return redis.status === 'ready'
}
