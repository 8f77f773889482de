import type { ClickBus } from './live-channels.ts'

/** A bus within one process: for one node alone, and for tests. */
export function createMemoryBus(): ClickBus {
  const handlers = new Map<string, Set<(message: string) => void>>()
  return {
    async publish(channel, message) {
      for (const handler of [...(handlers.get(channel) ?? [])]) handler(message)
    },
    subscribe(channel, handler) {
      const set = handlers.get(channel) ?? new Set()
      handlers.set(channel, set.add(handler))
      return () => {
        set.delete(handler)
        if (set.size === 0) handlers.delete(channel)
      }
    },
  }
}
