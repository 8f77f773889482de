import { readdirSync, readFileSync } from 'node:fs'
import { childOf } from '../../test/harness/children.ts'
import { cpuSeconds } from './machine.ts'
import type { Window } from './windows.ts'

/** Switches work beside the load on and off; each may be called repeatedly. */
export interface Switch {
  on(): void
  off(): Promise<void>
}

/** The results of {@link takeTurns}: sums over all pairs of windows. */
export interface Turns {
  windows: Window[]
  /** CPU cores used by the statistics process, in windows with the work. */
  cpu: number
  /** Such windows at whose end it had normal scheduling. */
  shares: number
  /**
   * Milliseconds per second that the serving thread waited for a core, without and with the work.
   */
  waits: [number, number]
}

export const noTurns = (): Turns => ({ windows: [], cpu: 0, shares: 0, waits: [0, 0] })

/** The load, and its duration. */
export interface TurnsOptions {
  /** The server's. */
  pid: number
  work: Switch
  pairs: number
  windowMs: number
  /** The work ends by itself: then the measurement does too. */
  ends: boolean
}

/** The delay until switching takes effect. */
const SETTLE_MS = 30
/** Work that uses less of a core than this, pair after pair, has ended. */
const AT_WORK = 0.2
const IDLE_PAIRS = 3

/** Adds pairs of windows in random order, until there are enough or the work has ended. */
export async function takeTurns(options: TurnsOptions, into: Turns): Promise<void> {
  const { pid: server, work, pairs, windowMs, ends } = options
  await work.off()
  let idle = 0
  while (into.windows.length < 2 * pairs && idle < IDLE_PAIRS) {
    const pair: Window[] = []
    const waits = { alone: 0, beside: 0 }
    let used = 0
    let hasEnded = false
    let takesIts = false
    for (const isBusy of Math.random() < 0.5 ? [false, true] : [true, false]) {
      if (isBusy) work.on()
      else await work.off()
      await Bun.sleep(SETTLE_MS)
      const pid = childOf(server, 'statistics')
      const [cpu, wait, fromMs] = [cpuOf(pid), waitMs(server), now()]
      // Not in phase with anything periodic.
      await Bun.sleep(windowMs * (0.8 + 0.4 * Math.random()))
      const toMs = now()
      const seconds = (toMs - fromMs) / 1_000
      waits[isBusy ? 'beside' : 'alone'] = (waitMs(server) - wait) / seconds
      pair.push({ isBusy, fromMs, toMs })
      if (!isBusy) continue
      used = Math.max(0, cpuOf(pid) - cpu) / seconds
      hasEnded = cpuOf(pid) === 0
      takesIts = takesShare(pid)
    }
    idle = ends && used < AT_WORK && !hasEnded ? idle + 1 : 0
    if (idle > 0) continue
    into.windows.push(...pair)
    into.cpu += used
    into.shares += takesIts ? 1 : 0
    into.waits = [into.waits[0] + waits.alone, into.waits[1] + waits.beside]
  }
  await work.off()
  stopping(server).on()
}

/** Continues and stops the statistics process. */
export function stopping(server: number): Switch {
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    const pid = childOf(server, 'statistics')
    if (pid !== undefined) process.kill(pid, name)
  }
  return { on: () => signal('SIGCONT'), off: async () => signal('SIGSTOP') }
}

/** Waits until the statistics process has finished its hourly maintenance. */
export async function settled(server: number): Promise<void> {
  for (;;) {
    const pid = childOf(server, 'statistics')
    const before = cpuOf(pid)
    await Bun.sleep(2_000)
    if (cpuOf(pid) - before < 0.1) return
  }
}

/** Milliseconds that a process's first thread has waited for a core so far. */
function waitMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

/** CPU seconds; 0 if it has ended. */
function cpuOf(pid: number | undefined): number {
  try {
    return pid === undefined ? 0 : cpuSeconds(pid)
  } catch {
    return 0
  }
}

/** Whether no thread of the process has idle scheduling (SCHED_IDLE). */
function takesShare(pid: number | undefined): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
      // The policy (proc(5)).
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38] === '0'
    })
  } catch {
    return false
  }
}

/** Milliseconds since the Unix epoch, with parts of them. */
function now(): number {
  return performance.timeOrigin + performance.now()
}
