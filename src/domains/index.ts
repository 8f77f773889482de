import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql, Storage, Transaction } from '../storage/index.ts'

/** The number of the instance's own domain: the host of its base address. */
export const DEFAULT_DOMAIN = 0

/** The hosts whose short links this instance serves. */
export type Domains = Readonly<ReturnType<typeof createDomains>>

/** A host and the number that stands for it in every other table. */
interface DomainRow {
  no: number
  host: string
}

/** The base address is a host that has links of its own already; nothing can tell which are meant. */
export class DomainConflict extends Error {
  override name = 'DomainConflict'
  constructor(readonly host: string) {
    super(
      `${host} has links of its own from when it was a short domain; it can't become the base ` +
        'address, whose links are others. Choose another base address, or delete those links.',
    )
  }
}

/**
 * Writes down the hosts that are served, and loads all that ever were. Call it once at the start.
 * @param isOneOfMany the base address is only what this node listens on, and other nodes listen on
 *   others: it stands for the default domain beside the host that this had before, and stays unwritten
 * @throws DomainConflict
 */
export async function syncDomains(
  storage: Storage,
  baseUrl: string,
  shortDomains: readonly string[],
  isOneOfMany = false,
): Promise<Domains> {
  const served = servedOf(baseUrl, shortDomains)
  const known = await allDomains(storage.read)
  const isThere = (host: string, i: number) =>
    i === 0 && isOneOfMany ? isNamed(known, host) : known.some(sameRow(host, i === 0))
  const rows = served.every(isThere)
    ? known
    : await storage.write((tx) => write(tx, served, isOneOfMany))
  return domainsOf(baseUrl, shortDomains, rows)
}

/** Whether the default domain has a host, and this one is no other domain's. */
function isNamed(rows: readonly DomainRow[], host: string): boolean {
  const isDefault = ({ no }: DomainRow) => no === DEFAULT_DOMAIN
  return rows.some(isDefault) && rows.every((row) => row.host !== host || isDefault(row))
}

function domainsOf(
  baseUrl: string,
  shortDomains: readonly string[],
  rows: readonly DomainRow[],
): Domains {
  return createDomains(new URL(baseUrl), servedOf(baseUrl, shortDomains), rows)
}

function servedOf(baseUrl: string, shortDomains: readonly string[]): string[] {
  const base = new URL(baseUrl)
  const wanted = [base.host, ...shortDomains.map((host) => canonical(host, base) ?? host)]
  return [...new Set(wanted)]
}

function sameRow(host: string, isDefault: boolean): (row: DomainRow) => boolean {
  return (row) => row.host === host && (row.no === DEFAULT_DOMAIN) === isDefault
}

async function write(
  tx: Transaction,
  served: readonly string[],
  isOneOfMany: boolean,
): Promise<DomainRow[]> {
  await tx.lock('domains')
  const rows = await allDomains(tx)
  let last = rows.reduce((highest, { no }) => Math.max(highest, no), DEFAULT_DOMAIN)
  for (const [i, host] of served.entries()) {
    const row = rows.find((known) => known.host === host)
    if (i > 0) {
      // A host that was the default one before keeps its links there: its number is the default's.
      const isFormer = row?.no === DEFAULT_DOMAIN && !isOneOfMany
      if (row === undefined || isFormer) await putDomain(tx, { no: ++last, host })
      continue
    }
    if (isOneOfMany ? isNamed(rows, host) : row?.no === DEFAULT_DOMAIN) continue
    if (row !== undefined && !(await dropUnusedDomain(tx, row.no))) throw new DomainConflict(host)
    if (isOneOfMany && rows.some(({ no }) => no === DEFAULT_DOMAIN)) continue
    await putDomain(tx, { no: DEFAULT_DOMAIN, host })
  }
  return allDomains(tx)
}

/** All hosts that were ever served. */
async function allDomains(sql: Sql): Promise<DomainRow[]> {
  return sql.db.selectFrom('domains').select(['no', 'host']).orderBy('no').execute()
}

/** Adds a host under a number, or gives the number another host. */
async function putDomain(tx: Transaction, { no, host }: DomainRow): Promise<void> {
  await tx.db
    .insertInto('domains')
    .values({ no, host })
    .onConflict((conflict) => conflict.column('no').doUpdateSet({ host }))
    .execute()
}

/** Forgets a host, unless a slug was ever given out on it. Whether it is gone. */
async function dropUnusedDomain(tx: Transaction, no: number): Promise<boolean> {
  const dropped = await tx.db
    .deleteFrom('domains')
    .where('no', '=', no)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('slugs').select('slug_key').where('domain_no', '=', no))),
    )
    .returning('no')
    .execute()
  return dropped.length > 0
}

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

function createDomains(base: URL, served: readonly string[], rows: readonly DomainRow[]) {
  // What the default domain is called here, and perhaps is called on other nodes.
  const all = [...rows, { no: DEFAULT_DOMAIN, host: base.host }]
  const hosts = new Map(all.map(({ no, host }) => [no, host]))
  const isServed = ({ no, host }: DomainRow) => no === DEFAULT_DOMAIN || served.includes(host)
  const everServed = new Set(hosts.values())
  const numbers = new Map(all.filter(isServed).map(({ no, host }) => [host, no]))
  const origins = new Map(all.map(({ no, host }) => [no, `${base.protocol}//${host}/`]))
  return {
    /** The host of the base address, with its port if it has one. */
    defaultHost: base.host,
    /** All hosts that are served now, the default one first. */
    hosts: [...new Set([...served, ...numbers.keys()])] as readonly string[],
    /** The number of a host that is served now, in whatever case or script it is written. */
    noOf: (host: string): number | undefined =>
      numbers.get(host) ?? numbers.get(canonical(host, base) ?? ''),
    /** Whether a host is or was one that is served. */
    knows: (host: string): boolean =>
      everServed.has(host) || everServed.has(canonical(host, base) ?? ''),
    /** The host of a number, also when it is no longer served. */
    hostOf: (no: number): string => hosts.get(no) ?? base.host,
    /** The address of a slug, percent-encoded where the URL standard wants it. */
    shortUrl: (no: number, slug: string): string =>
      (origins.get(no) ?? `${base.origin}/`) + encodeURIComponent(slug).replaceAll('%2F', '/'),
  }
}

const NOT_A_HOST = /[/?#@\\]/

/** As the URL standard writes it: lower case, IDN in ASCII, no default port, no trailing dot. */
function canonical(host: string, base: URL): string | undefined {
  if (host === '' || NOT_A_HOST.test(host)) return undefined
  const url = URL.parse(`${base.protocol}//${host}`)
  return url?.host.replace(/\.(?=:|$)/, '')
}
