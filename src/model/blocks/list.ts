import { resolve } from 'node:path'
import { canonicalHost, enclosingHost, hostOfUrl } from '../../lib/validation/host.ts'
import {
  type BlocksTable,
  createRefresh,
  prepare,
  SEQS_PER_WORKSPACE,
  type Storage,
} from '../../platform/storage/index.ts'
import type { Domains } from '../domains/index.ts'

/** What a link or a visitor may learn of a block. `at` in milliseconds since the epoch. */
export interface LinkBlock {
  /** Null: the configuration blocks the host, so the block can't be appealed or removed. */
  id: string | null
  reason: string | null
  at: number | null
}

/** The blocks that can cover links of one workspace, as plain data. */
export interface Covering {
  /** The workspace itself is blocked. */
  all: boolean
  domainNos: number[]
  /** Hosts of destinations, each with its subdomains. */
  hosts: string[]
}

/** The properties of a link that a block may match. */
interface Coverable {
  domain_no: number
  workspace_no: number
  target_url: string
}

/** The file that keeps a node's blocks for a start without its database. */
export const blocksFile = (dataDir: string): string => resolve(dataDir, 'blocks')

/**
 * The blocks that cover more than one address, in memory: every redirect checks them. Blocks of
 * single addresses are in the rows of the addresses.
 */
export type BlockList = ReturnType<typeof createBlockList>

const wide = prepare<Record<string, never>, BlocksTable>((db) =>
  db.selectFrom('blocks').selectAll().where('kind', '<>', 'link'),
)

const CONFIGURED: LinkBlock = { id: null, reason: null, at: null }

/** Creates the list of an instance; `hosts` are those blocked by the configuration. */
export function createBlockList(deps: {
  storage: Pick<Storage, 'read'>
  domains: Pick<Domains, 'noOf'>
  hosts: readonly string[]
  /** The file that keeps the blocks for a start without the database; absent: none. */
  file?: string
}) {
  const { storage, domains } = deps
  const configured = deps.hosts.map((host) => [canonicalHost(host), CONFIGURED] as const)
  let hosts: ReadonlyMap<string, LinkBlock> = new Map(configured)
  let blockedHosts: ReadonlyMap<string, LinkBlock> = new Map()
  let workspaces: ReadonlyMap<number, LinkBlock> = new Map()
  /** Most instances block nothing: then a visit pays for one test, 0.1 µs less. */
  let isEmpty = configured.length === 0

  function take(rows: readonly BlocksTable[]): void {
    const byHost = new Map(configured)
    const byDomain = new Map<string, LinkBlock>()
    const byWorkspace = new Map<number, LinkBlock>()
    for (const { kind, value, workspace_no, id, reason, created_at } of rows) {
      const block = { id, reason, at: created_at }
      if (kind === 'destination_host') byHost.set(value, block)
      else if (kind === 'host') byDomain.set(value, block)
      else if (workspace_no !== null) byWorkspace.set(workspace_no, block)
    }
    hosts = byHost
    blockedHosts = byDomain
    workspaces = byWorkspace
    isEmpty = byHost.size + byDomain.size + byWorkspace.size === 0
  }

  /** By host, because a host may get another number. Only a few are blocked. */
  function domainBlock(no: number): LinkBlock | undefined {
    for (const [host, block] of blockedHosts) if (domains.noOf(host) === no) return block
    return undefined
  }

  function hostBlock(url: string): LinkBlock | null {
    if (hosts.size === 0) return null
    const parsed = URL.parse(url)
    const found = parsed === null ? null : enclosingHost(hostOfUrl(parsed), hosts)
    return found === null ? null : (hosts.get(found) ?? null)
  }

  return {
    /** The block that covers a link, other than one of its own address. */
    covering: ({ domain_no, workspace_no, target_url }: Coverable): LinkBlock | null =>
      domainBlock(domain_no) ?? workspaces.get(workspace_no) ?? hostBlock(target_url),

    /** The same for the redirect, which identifies the link by its number. */
    covers: (domainNo: number, linkSeq: number, targetUrl: string): boolean =>
      !isEmpty &&
      (domainBlock(domainNo) !== undefined ||
        (workspaces.size > 0 && workspaces.has(Math.floor(linkSeq / SEQS_PER_WORKSPACE))) ||
        hostBlock(targetUrl) !== null),

    /** Whether a canonical host, or a parent of it, is blocked as a destination. */
    hasHost: (host: string): boolean => enclosingHost(host, hosts) !== null,

    /** Whether the host of a URL is blocked. */
    hasTarget: (url: string): boolean => hostBlock(url) !== null,

    ofWorkspace(no: number): Covering | null {
      const all = workspaces.has(no)
      if (!all && blockedHosts.size === 0 && hosts.size === 0) return null
      const domainNos = [...blockedHosts.keys()].flatMap((host) => domains.noOf(host) ?? [])
      return { all, domainNos, hosts: [...hosts.keys()] }
    },

    /** Loads the blocks from the file, if there is one. */
    async restore(): Promise<void> {
      const file = deps.file === undefined ? null : Bun.file(deps.file)
      if (file !== null && (await file.exists())) take((await file.json()) as BlocksTable[])
    },

    /** Reads the blocks if they have changed. @throws StorageUnavailable, keeping the list */
    refresh: createRefresh(storage, 'blocks', wide, { take, file: deps.file }),
  }
}
