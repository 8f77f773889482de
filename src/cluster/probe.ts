import type { Hidden } from '../base/hidden.ts'
import { within } from './deadline.ts'
import { connectRedis, isReady } from './redis.ts'

/** What a Redis or Valkey says of itself. */
export interface RedisFacts {
  /** Of Valkey the version of Redis that it is compatible with. */
  version: string
  /** It may evict the keys of rate limits. */
  forgets: boolean
}

/** Asks a server who it is. @returns a word for what is wrong, where it can't be asked. */
export async function probeRedis(url: Hidden, withinMs: number): Promise<RedisFacts | string> {
  let code = 'no answer'
  const warn = (told: unknown) => {
    code = String((told as { code?: unknown }).code ?? code)
  }
  const { redis, close } = connectRedis({
    url,
    name: 'slugline-doctor',
    logger: { info() {}, warn } as Parameters<typeof connectRedis>[0]['logger'],
  })
  try {
    if (!isReady(redis)) {
      await within(new Promise<void>((ready) => redis.once('ready', ready)), withinMs)
    }
    const info = await within(redis.info(), withinMs)
    const fact = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? ''
    return {
      version: fact('redis_version'),
      forgets: Number(fact('maxmemory')) > 0 && fact('maxmemory_policy') !== 'noeviction',
    }
  } catch {
    return code
  } finally {
    close()
  }
}
