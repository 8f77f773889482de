import { join } from 'node:path'

const isRoot = process.getuid?.() === 0
/** Runs a program as any other, though this process comes last. */
export const asOthers: readonly string[] = isRoot ? ['chrt', '-o', '0'] : []

/** From now on this process runs when nobody else wants to; only root could let its children return. */
export function comeLast(): void {
  if (isRoot) Bun.spawnSync(['chrt', '-a', '-i', '-p', '0', String(process.pid)])
}

/** What became of each visitor, in the order of the answers. Times in milliseconds. */
export interface Visits {
  /** When they were due, since the Unix epoch. */
  due: number[]
  /** From then on until the answer was there. */
  latency: number[]
  /** How much of it was the generator's own doing, which sent them late. */
  late: number[]
}

/** A load whose pace doesn't depend on the answers. */
export interface OpenLoad {
  url: string
  /** On the average. */
  perSecond: number
  /** Seeded ones, which are asked for evenly. */
  links: number
  /** The core that the load runs on. */
  core: number
}

/** Visitors, until they are stopped. As root they are never behind anything else on their core. */
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
