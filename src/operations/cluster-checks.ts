import type { Storage } from '../storage/index.ts'
import type { HealthCheck } from './health.ts'

/** What readiness asks of the memory of links. */
export interface RedirectMemory {
  state(): { entries: number; away: boolean; heard: boolean }
}

/**
 * Whether the shared database takes writes. While it doesn't, a node that remembers links goes on
 * redirecting, so it stays in service: `degraded`. One that remembers nothing is of no use.
 */
export function sharedStorageCheck(
  storage: Pick<Storage, 'probe'>,
  memory: RedirectMemory,
): HealthCheck {
  return {
    name: 'storage',
    async check() {
      try {
        await storage.probe()
      } catch {
        return { status: memory.state().entries > 0 ? 'degraded' : 'failed', reason: 'away' }
      }
      return memory.state().away ? { status: 'degraded', reason: 'away' } : { status: 'ok' }
    },
  }
}

/**
 * Whether Redis answers. Without it limits are kept by shares, and links are asked for twice a
 * second instead of being remembered: slower, but right; so it never makes a node unready.
 */
export function redisCheck(cluster: { state(): { up: boolean; heard: boolean } }): HealthCheck {
  return {
    name: 'redis',
    check() {
      const { up, heard } = cluster.state()
      if (!up) return { status: 'degraded', reason: 'away' }
      return heard ? { status: 'ok' } : { status: 'degraded', reason: 'deaf' }
    },
  }
}
