import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** An agent as it was sent, and what its group says of it. */
export interface SampleAgent {
  agent: string
  says: string[]
}

/** Ordinary browsers of 2021 to 2026: browser, operating system, device (`null`: none). */
export const BROWSER_AGENTS = read('browsers.txt', ', ')
/** Crawlers, unfurlers and other programs: kind, reason. */
export const PROGRAM_AGENTS = read('programs.txt', ' ')

function read(name: string, separator: string): SampleAgent[] {
  let says: string[] = []
  const samples: SampleAgent[] = []
  for (const line of readFileSync(join(import.meta.dir, name), 'utf8').split('\n')) {
    if (line.startsWith('# ')) says = line.slice(2).split(separator)
    else if (line !== '') samples.push({ agent: line, says })
  }
  return samples
}
