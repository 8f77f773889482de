import { readFileSync } from 'node:fs'
import { childOf } from '../../test/harness/children.ts'

/** The statistics process of a server, which runs if it was queried recently. */
export function statisticsPid(serverPid: number): number {
  const pid = childOf(serverPid, 'statistics')
  if (pid === undefined) throw new Error('There is no statistics process')
  return pid
}

/** The peak memory of processes since the last reset. */
export interface MemoryWatch {
  read(): string
  reset(): void
  stop(): void
}

/** Samples each process without its children, 20 times a second. */
export function watchMemory(pids: Readonly<Record<string, () => number>>): MemoryWatch {
  const most = new Map<string, number>()
  const timer = setInterval(() => {
    for (const [name, pid] of Object.entries(pids)) {
      most.set(name, Math.max(most.get(name) ?? 0, rssMb(pid())))
    }
  }, 50)
  return {
    read: () => [...most].map(([name, mb]) => `${name} ${mb.toFixed(0)} MB`).join(', '),
    reset: () => most.clear(),
    stop: () => clearInterval(timer),
  }
}

/** 0: it has ended. */
function rssMb(pid: number): number {
  try {
    const [, rss = '0'] = readFileSync(`/proc/${pid}/status`, 'utf8').split('VmRSS:')
    return Number.parseInt(rss.trim(), 10) / 1024
  } catch {
    return 0
  }
}
