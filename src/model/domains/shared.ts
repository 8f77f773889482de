import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../lib/base/replace-file.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import {
  canonical,
  createDomainList,
  DEFAULT_DOMAIN,
  type Domains,
  type ListedDomain,
  listDomains,
} from './list.ts'

/** The configuration names a host that already has links of another domain, so it is ambiguous. */
export class DomainConflict extends OperatorError {
  constructor(host: string, isOwned = false) {
    const reason = isOwned
      ? `${host} is the domain of a workspace; it can't be the base address or a short domain of ` +
        'all. Choose another host, or let the workspace delete the domain.'
      : `${host} has links of its own from when it was a short domain; it can't become the base ` +
        'address, whose links are others. Choose another base address, or delete those links.'
    const message = `BASE_URL or SLUGLINE_DOMAINS can't be this: ${reason}`
    super('CONFIGURATION', message, { status: 2 })
  }
}

/** Options of opening the list. */
interface Options {
  /**
   * The base URL is only the listening address of this node, and differs between nodes: it becomes
   * another host of the default domain, and isn't stored.
   */
  isOneOfMany?: boolean
  /** The file that keeps the domains for a start without the database; absent: none. */
  file?: string | undefined
}

/** Stores the shared hosts, and loads all domains. Call it once at start. @throws DomainConflict */
export async function syncDomains(
  storage: Storage,
  baseUrl: string,
  shortDomains: readonly string[],
  { isOneOfMany = false, file }: Options = {},
): Promise<Domains> {
  const shared = sharedOf(baseUrl, shortDomains)
  const known = await listDomains(storage)
  const isThere = (host: string, i: number) =>
    i === 0 && isOneOfMany ? isNamed(known, host) : known.some(sameRow(host, i === 0))
  const rows = shared.every(isThere)
    ? known
    : await storage.write((tx) => write(tx, shared, isOneOfMany))
  if (file !== undefined) replaceFile(file, JSON.stringify(rows))
  return createDomainList({ storage, base: new URL(baseUrl), shared, rows, file })
}

/** The stored domains, for a command, which doesn't change them. */
export async function readDomains(
  storage: Pick<Storage, 'read'>,
  baseUrl: string,
  shortDomains: readonly string[],
): Promise<Domains> {
  const rows = await listDomains(storage)
  const shared = sharedOf(baseUrl, shortDomains)
  return createDomainList({ storage, base: new URL(baseUrl), shared, rows })
}

/** Whether the default domain has a host, and `host` isn't that of another domain. */
function isNamed(rows: readonly ListedDomain[], host: string): boolean {
  const isDefault = ({ no }: ListedDomain) => no === DEFAULT_DOMAIN
  return rows.some(isDefault) && rows.every((row) => row.host !== host || isDefault(row))
}

function sharedOf(baseUrl: string, shortDomains: readonly string[]): string[] {
  const base = new URL(baseUrl)
  const wanted = [base.host, ...shortDomains.map((host) => canonical(host, base) ?? host)]
  return [...new Set(wanted)]
}

function sameRow(host: string, isDefault: boolean): (row: ListedDomain) => boolean {
  return (row) =>
    row.host === host && row.status === 'shared' && (row.no === DEFAULT_DOMAIN) === isDefault
}

async function write(
  tx: Transaction,
  shared: readonly string[],
  isOneOfMany: boolean,
): Promise<ListedDomain[]> {
  await tx.lock('domains')
  const rows = await listDomains({ read: tx })
  let last = rows.reduce((highest, { no }) => Math.max(highest, no), DEFAULT_DOMAIN)
  for (const [i, host] of shared.entries()) {
    const isOwned = ({ status }: ListedDomain) => status === 'active' || status === 'failing'
    if (rows.some((row) => row.host === host && isOwned(row))) throw new DomainConflict(host, true)
    const row = rows.find((known) => known.host === host && known.status === 'shared')
    if (i > 0) {
      // A former default host keeps its links under the default domain's number.
      const isFormer = row?.no === DEFAULT_DOMAIN && !isOneOfMany
      if (row === undefined || isFormer) await putDomain(tx, ++last, host)
      continue
    }
    if (isOneOfMany ? isNamed(rows, host) : row?.no === DEFAULT_DOMAIN) continue
    if (row !== undefined && !(await dropUnusedDomain(tx, row.no))) {
      throw new DomainConflict(host)
    }
    if (isOneOfMany && rows.some(({ no }) => no === DEFAULT_DOMAIN)) continue
    await putDomain(tx, DEFAULT_DOMAIN, host)
  }
  return listDomains({ read: tx })
}

/** Adds a host under a number, or gives the number another host. */
async function putDomain(tx: Transaction, no: number, host: string): Promise<void> {
  await tx.db
    .insertInto('domains')
    .values({ no, host })
    .onConflict((conflict) => conflict.column('no').doUpdateSet({ host }))
    .execute()
}

/** Deletes a host unless a slug ever existed on it. Returns whether it was deleted. */
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

/** The file of the domains in a data directory. */
export function domainsFile(dataDir: string): string {
  return join(dataDir, 'domains')
}

/** The domains from the file; null: there is none. */
export function storedDomains(
  file: string,
  baseUrl: string,
  shortDomains: readonly string[],
  storage: Pick<Storage, 'read'>,
): Domains | null {
  try {
    const rows = JSON.parse(readFileSync(file, 'utf8')) as ListedDomain[]
    const shared = sharedOf(baseUrl, shortDomains)
    return createDomainList({ storage, base: new URL(baseUrl), shared, rows })
  } catch {
    return null
  }
}
