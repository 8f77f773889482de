import { ptr } from 'bun:ffi'
import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { systemCall } from './libc.ts'

// <linux/sched.h>, <linux/capability.h>, and the number of sched_setscheduler(2).
const SCHED_OTHER = 0
const SCHED_IDLE = 5
const CAP_SYS_NICE = 23n
const SYSCALL: Partial<Record<NodeJS.Architecture, number>> = { x64: 144, arm64: 119 }

/**
 * Which threads run only when nobody else wants to, so that whoever does needn't wait for them to be
 * interrupted: none, and all take a share of the processors, a small one; all but the one that answers
 * and takes messages; or all.
 */
export type Yielding = 'none' | 'helpers' | 'all'

/** How much of the processors this process claims from others. */
export interface Priority {
  /**
   * To be called now and then also with the same, for threads that are new. Where a thread that yields
   * can't stop it later, and on other systems than Linux, none ever does.
   */
  yield(which: Yielding): void
}

/**
 * Lowers the priority of this process for good, and begins with taking a share.
 * @param niceness Of setpriority(2); 0: it gives way to nobody, and never yields.
 */
export function createPriority(niceness: number): Priority {
  if (niceness === 0) return { yield() {} }
  try {
    // The threads of the heap and of the compiler are there already.
    for (const thread of threads()) setPriority(thread, niceness)
  } catch {
    // Not allowed here: then all are equal.
  }
  const set = mayReturn(niceness) ? policySetter() : undefined
  let policies = new Map<number, number>()
  return {
    yield(which) {
      if (set === undefined) return
      const now = new Map<number, number>()
      for (const thread of threads()) {
        const stays = which === 'none' || (which === 'helpers' && thread === process.pid)
        const policy = stays ? SCHED_OTHER : SCHED_IDLE
        if (policies.get(thread) !== policy) set(thread, policy)
        now.set(thread, policy)
      }
      policies = now
    },
  }
}

function threads(): number[] {
  if (process.platform !== 'linux') return [process.pid]
  return readdirSync('/proc/self/task').map(Number)
}

/** Whether a thread that yields may stop it again: a right, or a limit that allows this niceness. */
function mayReturn(niceness: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const status = readFileSync('/proc/self/status', 'utf8')
    const rights = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`)
    if (((rights >> CAP_SYS_NICE) & 1n) === 1n) return true
    const limits = readFileSync('/proc/self/limits', 'utf8')
    return Number(/^Max nice priority\s+(\d+)/m.exec(limits)?.[1] ?? 0) >= 20 - niceness
  } catch {
    return false
  }
}

function policySetter(): ((thread: number, policy: number) => void) | undefined {
  const number = SYSCALL[process.arch]
  if (number === undefined || systemCall === null) return undefined
  const call = systemCall
  // struct sched_param: a priority of 0.
  const parameters = new Int32Array(2)
  return (thread, policy) => call(number, BigInt(thread), BigInt(policy), BigInt(ptr(parameters)))
}
