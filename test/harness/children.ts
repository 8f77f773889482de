import { readdirSync, readFileSync } from 'node:fs'

/**
 * The process id of a server's child; undefined: not running.
 * @param argument one of its command-line arguments, such as the name of its command
 */
export function childOf(
  server: number,
  argument: 'click-worker' | 'statistics' | `/${string}`,
): number | undefined {
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) !== server) continue
      if (readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(`\0${argument}\0`)) {
        return Number(entry)
      }
    } catch {
      // It has ended in the meantime.
    }
  }
  return undefined
}
