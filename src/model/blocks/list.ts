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
import { SPECIAL_PREFIX } from '../links/slug.ts'

/** What a link or a visitor may learn of a block. `at` in milliseconds since the epoch. */
export interface LinkBlock {
  /** Null: the configuration blocks the host, so the block can't be appealed or removed. */
  id: string | null
  reason: string | null
  at: number | null
  /** The blocked link was a prefix: its addresses stay prefixes until the block is removed. */
  prefix?: boolean
}

/** The blocks that can cover links of one workspace, as plain data. */
export interface Covering {
  /** The workspace itself is blocked. */
  all: boolean
  domainNos: number[]
  /** Hosts of destinations, each with its subdomains. */
  hosts: string[]
  /** Some of its blocked addresses match everything below them. */
  hasPrefixes: boolean
}

/** The properties of a link that a block may match. */
interface Coverable {
  domain_no: number
  workspace_no: number
  target_url: string
  slug_key: string
}

/** A block, and one blocked address that matches everything below it, if it is one of a link. */
type WideBlock = BlocksTable & {
  slug_key: string | null
  domain_no: number | null
  slug_workspace_no: number | null
}

/** The file that keeps a node's blocks for a start without its database. */
export const blocksFile = (dataDir: string): string => resolve(dataDir, 'blocks')

/**
 * The blocks that cover more than one address, in memory: every redirect checks them. Blocks of
 * single addresses are in the rows of the addresses. A blocked prefix covers what its workspace has
 * below it, because exact slugs and longer prefixes would take precedence.
 */
export type BlockList = ReturnType<typeof createBlockList>

const wide = prepare<Record<string, never>, WideBlock>((db) =>
  db
    .selectFrom('blocks as b')
    .leftJoin('slugs as s', (join) =>
      join.onRef('s.block_id', '=', 'b.id').on('s.special', '=', SPECIAL_PREFIX),
    )
    .selectAll('b')
    .select(['s.slug_key', 's.domain_no', 's.workspace_no as slug_workspace_no'])
    .where((eb) => eb.or([eb('b.kind', '<>', 'link'), eb('s.slug_key', 'is not', null)])),
)

/** The keys of the prefixes that match a slug, longest first. */
export function prefixesOf(slugKey: string): string[] {
  const prefixes: string[] = []
  for (let end = slugKey.lastIndexOf('/'); end > 0; end = slugKey.lastIndexOf('/', end - 1)) {
    prefixes.push(slugKey.slice(0, end))
  }
  return prefixes
}

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
  /** By workspace, the blocked prefixes of each domain. */
  let prefixes: ReadonlyMap<number, ReadonlyMap<string, LinkBlock>> = new Map()
  /** Most instances block nothing: then a visit pays for one test, 0.1 µs less. */
  let isEmpty = configured.length === 0

  function take(rows: readonly WideBlock[]): void {
    const byHost = new Map(configured)
    const byDomain = new Map<string, LinkBlock>()
    const byWorkspace = new Map<number, LinkBlock>()
    const byPrefix = new Map<number, Map<string, LinkBlock>>()
    for (const { kind, value, workspace_no, id, reason, created_at, ...slug } of rows) {
      const block = { id, reason, at: created_at }
      const { slug_key, domain_no, slug_workspace_no: no } = slug
      if (kind === 'link') {
        if (slug_key === null || domain_no === null || no === null) continue
        const all = byPrefix.get(no) ?? new Map<string, LinkBlock>()
        byPrefix.set(no, all.set(`${domain_no}/${slug_key}`, block))
      } else if (kind === 'destination_host') byHost.set(value, block)
      else if (kind === 'host') byDomain.set(value, block)
      else if (workspace_no !== null) byWorkspace.set(workspace_no, block)
    }
    hosts = byHost
    blockedHosts = byDomain
    workspaces = byWorkspace
    prefixes = byPrefix
    isEmpty = byHost.size + byDomain.size + byWorkspace.size + byPrefix.size === 0
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

  function prefixBlock(workspaceNo: number, domainNo: number, key: string): LinkBlock | undefined {
    const blocked = prefixes.get(workspaceNo)
    if (blocked === undefined) return undefined
    for (const prefix of prefixesOf(key)) {
      const block = blocked.get(`${domainNo}/${prefix}`)
      if (block !== undefined) return block
    }
    return undefined
  }

  /** The block that covers a link, other than one of its own address. */
  function covering(link: Coverable): LinkBlock | null {
    if (isEmpty) return null
    const { domain_no, workspace_no, target_url, slug_key } = link
    return (
      domainBlock(domain_no) ??
      workspaces.get(workspace_no) ??
      prefixBlock(workspace_no, domain_no, slug_key) ??
      hostBlock(target_url)
    )
  }

  return {
    covering,

    /** The same for the redirect, which identifies the link by its number. */
    covers: (domainNo: number, linkSeq: number, targetUrl: string, slugKey: string): boolean =>
      !isEmpty &&
      covering({
        domain_no: domainNo,
        workspace_no: Math.floor(linkSeq / SEQS_PER_WORKSPACE),
        target_url: targetUrl,
        slug_key: slugKey,
      }) !== null,

    /** Whether a canonical host, or a parent of it, is blocked as a destination. */
    hasHost: (host: string): boolean => enclosingHost(host, hosts) !== null,

    /** Whether the host of a URL is blocked. */
    hasTarget: (url: string): boolean => hostBlock(url) !== null,

    ofWorkspace(no: number): Covering | null {
      const all = workspaces.has(no)
      const hasPrefixes = prefixes.has(no)
      if (!all && !hasPrefixes && blockedHosts.size === 0 && hosts.size === 0) return null
      const domainNos = [...blockedHosts.keys()].flatMap((host) => domains.noOf(host) ?? [])
      return { all, domainNos, hosts: [...hosts.keys()], hasPrefixes }
    },

    /** Loads the blocks from the file, if there is one. */
    async restore(): Promise<void> {
      const file = deps.file === undefined ? null : Bun.file(deps.file)
      if (file !== null && (await file.exists())) take((await file.json()) as WideBlock[])
    },

    /** Reads the blocks if they have changed. @throws StorageUnavailable, keeping the list */
    refresh: createRefresh(storage, 'blocks', wide, { take, file: deps.file }),
  }
}
