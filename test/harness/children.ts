import { readdirSync, readFileSync } from 'node:fs'

/** The server's children, by the name of their command. */
export type ChildName = 'click-worker' | 'statistics'

/** The process id of a server's child; undefined: it doesn't run. */
export function childOf(server: number, name: ChildName): number | undefined {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) !== server) continue
      if (readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(`\0${name}\0`)) {
        return Number(entry)
      }
    } catch {
      // It has ended meanwhile.
    }
  }
  return undefined
}
