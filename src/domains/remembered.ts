import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Domains, domainsOf } from './domains.ts'

/** Where a data directory keeps them. */
export function domainsFile(dataDir: string): string {
  return join(dataDir, 'domains')
}

/** Writes down which number stands for which host, for a start without the database. */
export function rememberDomains(file: string, domains: Domains): void {
  const rows = domains.hosts.map((host) => ({ no: domains.noOf(host), host }))
  writeFileSync(`${file}.next`, `${JSON.stringify(rows)}\n`)
  renameSync(`${file}.next`, file)
}

/** The hosts that are served, as they were written down; null: they never were. */
export function rememberedDomains(
  file: string,
  baseUrl: string,
  shortDomains: readonly string[],
): Domains | null {
  try {
    return domainsOf(baseUrl, shortDomains, JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
