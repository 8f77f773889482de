import { join } from 'node:path'

const isRoot = process.getuid?.() === 0
/** Runs a program with normal priority, though this process has the lowest. */
export const asOthers: readonly string[] = isRoot ? ['chrt', '-o', '0'] : []

/** Gives this process the lowest priority; only root could reset it for child processes. */
export function comeLast(): void {
  if (isRoot) Bun.spawnSync(['chrt', '-a', '-i', '-p', '0', String(process.pid)])
}

/** The visits in the order of responses. Times in milliseconds. */
export interface Visits {
  /** When they were due, since the Unix epoch. */
  due: number[]
  /** From then on until the response. */
  latency: number[]
  /** The part of the latency caused by the generator, which sent them late. */
  late: number[]
}

/** A load whose rate doesn't depend on the responses. */
export interface OpenLoad {
  url: string
  /** The mean rate. */
  perSecond: number
  /** Seeded links, requested uniformly. */
  links: number
  /** The core that the load runs on. */
  core: number
}

/** Starts visitors. As root they are never preempted on their core. */
export function startVisitors(load: OpenLoad): { stop(into: Visits): Promise<void> } {
  const program = join(import.meta.dir, 'visitors.ts')
  const { port } = new URL(load.url)
  const args = [port, load.perSecond, load.links].map(String)
  const child = Bun.spawn(
    [...asOthers, 'taskset', '-c', String(load.core), process.execPath, program, ...args],
    { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' },
  )
  const written = new Response(child.stdout).arrayBuffer()
  return {
    async stop(into) {
      await child.stdin.end()
      const all = new Float64Array(await written)
      if ((await child.exited) !== 0 || all.length === 0) throw new Error('The visitors failed')
      for (let at = 0; at < all.length; at += 3) {
        into.due.push(all[at] as number)
        into.latency.push(all[at + 1] as number)
        into.late.push(all[at + 2] as number)
      }
    },
  }
}
