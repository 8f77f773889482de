import { createAttempts } from '../../src/features/accounts/attempts.ts'
import { createClaims } from '../../src/features/accounts/claims.ts'
import { COMMAND_LINE } from '../../src/features/audit/index.ts'
import { createKeyService } from '../../src/features/keys/service.ts'
import { createLinkService } from '../../src/features/links/index.ts'
import { createInvitationService } from '../../src/features/members/invitations.ts'
import { createMemberService } from '../../src/features/members/service.ts'
import { DEFAULT_PLANS } from '../../src/features/plans/defaults.ts'
import { createPlans } from '../../src/features/plans/service.ts'
import { createUserService } from '../../src/features/users/service.ts'
import { createWorkspaceService } from '../../src/features/workspaces/service.ts'
import { createCursors } from '../../src/http/cursor.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { createIds } from '../../src/lib/base/ids.ts'
import { systemRandom } from '../../src/lib/base/random.ts'
import { syncDomains } from '../../src/model/domains/index.ts'
import { openPostgres } from '../../src/platform/storage/index.ts'

/** The services of one node: its own connections, sharing only the database. */
export type TestNode = Awaited<ReturnType<typeof openNode>>

const KEY = new TextEncoder().encode('a key of at least thirty-two bytes')

/** Opens a node on a migrated database. */
export async function openNode(url: string, nodeId?: string) {
  const storage = await openPostgres({ url, poolSize: 6 })
  const clock = { now: () => Date.now() }
  const ids = createIds(clock, systemRandom)
  const plans = createPlans(DEFAULT_PLANS)
  const common = { storage, clock, ids, random: systemRandom, plans }
  const domains = await syncDomains(storage, 'https://s.example', ['go.example'])
  const workspaces = createWorkspaceService(common)
  const users = createUserService(common)
  const links = createLinkService({
    ...common,
    cursors: createCursors('secret'),
    domains,
    ownHosts: { hosts: domains.hosts, listenPort: 3000, basePort: 443 },
    urlRules: { schemes: ['http', 'https'] },
  })
  return {
    storage,
    clock,
    links,
    workspaces,
    users,
    keys: createKeyService({ ...common, domains, pepper: KEY }),
    members: createMemberService(common),
    invitations: createInvitationService({ ...common, workspaces }),
    attempts: createAttempts({ storage, clock, key: KEY }),
    claims: createClaims({ storage, random: systemRandom, nodeId }),
    idempotency: createIdempotency(storage, clock),
    /** Creates a link of a workspace with a plan's limit. */
    async create(
      no: number,
      body: object,
      limit: number | null = null,
      addresses: number | null = null,
    ) {
      const target = 'https://example.com/'
      const fields = { destination_url: { given: target, target }, ...body }
      const caller = {
        workspace: { no, plan: { limits: { links: limit, addresses } } },
        actor: COMMAND_LINE,
      }
      const prepared = await links.prepareCreate(caller as never, fields as never)
      return storage.write((tx) => links.create(tx, caller as never, prepared), {
        workspaceNo: no,
        together: true,
      })
    },
    async patch(no: number, id: string, body: object) {
      const caller = {
        workspace: { no, plan: { limits: { links: null, addresses: null } } },
        actor: COMMAND_LINE,
      }
      const always = () => true
      const prepared = await links.preparePatch(caller as never, id, body as never, always)
      return storage.write((tx) => links.update(tx, caller as never, id, prepared, () => true), {
        workspaceNo: no,
      })
    },
  }
}

/** The results of promises: the value, or the code of the error. */
export async function outcomes(
  promises: Promise<unknown>[],
): Promise<{ given: unknown[]; refused: string[] }> {
  const given: unknown[] = []
  const refused: string[] = []
  for (const result of await Promise.allSettled(promises)) {
    if (result.status === 'fulfilled') given.push(result.value)
    else refused.push(codeOf(result.reason))
  }
  return { given, refused: refused.sort() }
}

function codeOf(error: unknown): string {
  const { code, details, name } = error as {
    code?: string
    name: string
    details?: { code: string }[]
  }
  return details?.[0]?.code ?? code ?? name
}
