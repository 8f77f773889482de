import type { Secret } from '../../lib/base/secret.ts'
import { withTimeout } from '../../lib/base/with-timeout.ts'
import { connectRedis, isReady } from './redis.ts'

/** Checks a Redis or Valkey server. @returns a keyword for what is wrong, if it is unavailable. */
export async function probeRedis(url: Secret, withinMs: number) {
  let code = 'no answer'
  const warn = (error: unknown) => {
    code = String((error as { code?: unknown }).code ?? code)
  }
  const { redis, close } = connectRedis({
    url,
    name: 'slugline-doctor',
    logger: { info() {}, warn },
  })
  try {
    const ask = async () => {
      if (!isReady(redis)) await new Promise<void>((ready) => redis.once('ready', ready))
      return await redis.info()
    }
    const info = await withTimeout(withinMs, ask, null)
    if (info === null) return code
    const fact = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
    return {
      /** For Valkey the Redis version that it is compatible with. */
      version: fact('redis_version'),
      /** It may evict any key; `volatile-ttl` evicts the allowances that are closest to full again. */
      forgets:
        Number(fact('maxmemory')) > 0 &&
        !['noeviction', 'volatile-ttl'].includes(fact('maxmemory_policy')),
    }
  } catch {
    return code
  } finally {
    close()
  }
}
