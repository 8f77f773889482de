import type { Selectable } from 'kysely'
import { canBeHost } from '../../lib/validation/host.ts'
import {
  createRefresh,
  type DomainsTable,
  prepare,
  type Storage,
} from '../../platform/storage/index.ts'

/** The number of the instance's own domain: the host of its base URL. */
export const DEFAULT_DOMAIN = 0

/** What is held in memory of a domain. */
export type ListedDomain = Pick<
  Selectable<DomainsTable>,
  'no' | 'host' | 'workspace_no' | 'status' | 'case_sensitive'
> & {
  /** Absent in files of earlier versions. */
  slug_settings?: string | null
  /** 1: its robots.txt allows everything. Absent in files of earlier versions. */
  indexed?: number
}

/** The domain that links of a workspace may use, or why not. */
type Usable = { no: number } | 'unknown' | 'unverified'

/**
 * All domains, in memory: every redirect looks one up. Shared hosts come from the configuration;
 * those of workspaces are in the database.
 */
export type Domains = Readonly<ReturnType<typeof createDomainList>>

const all = prepare<Record<string, never>, ListedDomain>((db) =>
  db
    .selectFrom('domains')
    .select(['no', 'host', 'workspace_no', 'status', 'case_sensitive', 'slug_settings'])
    .select((eb) =>
      eb.case().when('robots', '=', 'all').then(eb.lit(1)).else(eb.lit(0)).end().as('indexed'),
    )
    .orderBy('no'),
)

const SERVED: ReadonlySet<string> = new Set(['active', 'failing'])

/** Creates the list; `shared` are the configured hosts, that of the base URL first. */
export function createDomainList(deps: {
  storage: Pick<Storage, 'read'>
  base: URL
  shared: readonly string[]
  rows: readonly ListedDomain[]
  /** The file that keeps the domains for a start without the database; absent: none. */
  file?: string | undefined
}) {
  const { storage, base, file } = deps
  let { shared, byHost, byNo, claims, exact, everHosts } = indexed(deps.rows)

  function indexed(rows: readonly ListedDomain[]) {
    const isShared = ({ no, host }: Pick<ListedDomain, 'no' | 'host'>) =>
      no === DEFAULT_DOMAIN || deps.shared.includes(host)
    // The default domain's host on this node; it may differ on other nodes.
    const own: ListedDomain = {
      no: DEFAULT_DOMAIN,
      host: base.host,
      workspace_no: null,
      status: 'shared',
      case_sensitive: 0,
    }
    const named = [...rows, own]
    const configured = named.filter((row) => row.status === 'shared' && isShared(row))
    const owned = named.filter(({ status }) => SERVED.has(status))
    const claimed = named.filter(
      ({ status, workspace_no }) => workspace_no !== null && status !== 'removed',
    )
    return {
      shared: new Map(configured.map(({ host, no }) => [host, no])),
      byHost: new Map(owned.map((row) => [row.host, row])),
      byNo: new Map(named.map((row) => [row.no, row])),
      everHosts: ownersOf(named),
      exact: new Set(
        claimed.filter((row) => row.case_sensitive === 1).map((row) => row.workspace_no),
      ),
      claims: new Map(claimed.map((row) => [claimOf(row.workspace_no, row.host), row])),
    }
  }

  /** A workspace's own domain answers on every port. */
  const ownedRow = (host: string) => byHost.get(host) ?? byHost.get(withoutPort(host))

  function find(host: string): number | undefined {
    const known = shared.get(host) ?? (byHost.size > 0 ? ownedRow(host)?.no : undefined)
    if (known !== undefined) return known
    const name = canonical(host, base)
    return name === undefined ? undefined : (shared.get(name) ?? ownedRow(name)?.no)
  }

  function onAnyPort(host: string): number | undefined {
    const name = withoutPort(host)
    const hasPorts = [...shared.keys()].some((each) => each !== withoutPort(each))
    return name === host || hasPorts ? undefined : find(name)
  }

  return {
    /** The hosts shared by all workspaces, the default one first. */
    get hosts(): readonly string[] {
      return [...new Set([...deps.shared, ...shared.keys()])]
    },
    /**
     * The number of a host that is served now, whatever its case or script; on any port if no host
     * of the instance has one.
     */
    noOf: (host: string): number | undefined => find(host) ?? onAnyPort(host),
    /**
     * The number of a workspace's domain that is served at a host; undefined: shared or unknown.
     */
    ownedAt(host: string): number | undefined {
      if (byHost.size === 0 || shared.has(host)) return undefined
      const no = find(host)
      return no !== undefined && byNo.get(no)?.workspace_no !== null ? no : undefined
    },
    /** Whether a domain is shared by all workspaces. */
    isShared: (no: number): boolean => byNo.get(no)?.workspace_no === null,
    /** How slugs are generated on a workspace's domain, as stored; undefined: it is shared. */
    slugSettingsOf: (no: number): string | null | undefined =>
      byNo.get(no)?.workspace_no === null ? undefined : (byNo.get(no)?.slug_settings ?? null),
    /** Whether search engines may list links of a domain; never those on shared hosts. */
    isIndexed: (no: number): boolean =>
      byNo.get(no)?.workspace_no !== null && byNo.get(no)?.indexed === 1,
    /** Whether slugs of a domain are case-sensitive. */
    isCaseSensitive: (no: number): boolean =>
      no !== DEFAULT_DOMAIN && byNo.get(no)?.case_sensitive === 1,
    /** Whether a workspace has a domain with case-sensitive slugs. */
    hasCaseSensitive: (workspaceNo: number | null): boolean =>
      workspaceNo !== null && exact.has(workspaceNo),
    /** Whether links of a workspace may use a host. Another workspace's host counts as unknown. */
    usableBy(workspaceNo: number | null, host: string): Usable {
      const no = find(host)
      if (no !== undefined && byNo.get(no)?.status === 'shared') return { no }
      const claim = claimed(workspaceNo, host)
      if (claim === undefined) return 'unknown'
      return claim.status === 'active' ? { no: claim.no } : 'unverified'
    },
    /** The number of a host, verified or not, in queries about the links of a workspace. */
    knownTo: (workspaceNo: number | null, host: string): number | undefined => {
      const no = find(host)
      if (no !== undefined && byNo.get(no)?.status === 'shared') return no
      return claimed(workspaceNo, host)?.no
    },
    /**
     * Whether a host is or was served here. With a workspace (null: none): whether it may know
     * that.
     */
    knows(host: string, workspaceNo?: number | null): boolean {
      const owners = everHosts.get(host) ?? everHosts.get(canonical(host, base) ?? '')
      if (owners === undefined) return false
      return workspaceNo === undefined || owners.has(null) || owners.has(workspaceNo)
    },
    /** The host of a number, even if it is no longer served. */
    hostOf: (no: number): string => byNo.get(no)?.host ?? base.host,
    /** The URL of a slug, percent-encoded as the URL standard requires. */
    shortUrl: (no: number, slug: string): string =>
      `${base.protocol}//${byNo.get(no)?.host ?? base.host}/${encodeURIComponent(slug).replaceAll('%2F', '/')}`,
    /** Reads the domains if they have changed. @throws StorageUnavailable, keeping the list */
    refresh: createRefresh(storage, 'domains', all, { take, file }),
  }

  function take(rows: readonly ListedDomain[]): void {
    ;({ shared, byHost, byNo, claims, exact, everHosts } = indexed(rows))
  }

  function claimed(workspaceNo: number | null, host: string): ListedDomain | undefined {
    const name = workspaceNo === null ? undefined : canonical(host, base)
    return name === undefined ? undefined : claims.get(claimOf(workspaceNo, name))
  }
}

/** All domains that are stored. */
export function listDomains(storage: Pick<Storage, 'read'>): Promise<ListedDomain[]> {
  return storage.read.run(all, {})
}

/** The workspaces that own or owned each host; null: shared. */
function ownersOf(rows: readonly ListedDomain[]): ReadonlyMap<string, ReadonlySet<number | null>> {
  const owners = new Map<string, Set<number | null>>()
  for (const { host, workspace_no } of rows) {
    const known = owners.get(host)
    if (known === undefined) owners.set(host, new Set([workspace_no]))
    else known.add(workspace_no)
  }
  return owners
}

function claimOf(workspaceNo: number | null, host: string): string {
  return `${workspaceNo} ${host}`
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

const NOT_A_HOST = /[/?#@\\]/

/** The canonical form by the URL standard: ASCII lower case, no default port, no trailing dot. */
export function canonical(host: string, base: URL): string | undefined {
  if (host === '' || !canBeHost(host) || NOT_A_HOST.test(host)) return undefined
  const url = URL.parse(`${base.protocol}//${host}`)
  return url?.host.replace(/\.(?=:|$)/, '')
}
