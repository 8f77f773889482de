import { z } from '@hono/zod-openapi'
import { type Api, type Call, type Caller, endpoint } from '../../http/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { AppError } from '../../lib/errors/index.ts'
import { boundedList, checked } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { network } from '../../platform/config/parse.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import { recordChange, writerOf } from '../audit/index.ts'

const PATH = '/api/v1/workspace/excluded-networks'
const TAG = 'Workspace'
const NETWORKS_MAX = 100

const item = checked(z.string(), (text) => {
  try {
    return network(text)
  } catch {
    return new ValidationIssue('INVALID_VALUE', {})
  }
})

const Schema = z
  .strictObject({
    networks: checked(boundedList(item, { max: NETWORKS_MAX }), (all) => [...new Set(all)]).openapi(
      {
        type: 'array',
        items: { type: 'string' },
        maxItems: NETWORKS_MAX,
        description: 'Addresses, and networks in CIDR notation (RFC 4632).',
        example: ['192.0.2.0/24', '2001:db8::/32'],
      },
    ),
  })
  .openapi('ExcludedNetworks')

interface ExcludedDeps {
  storage: Storage
  clock: Clock
  /** The networks in memory that visits are checked against. */
  excluded: { refresh(): Promise<void> }
}

/** The dashboard's endpoints for networks whose visits a workspace doesn't count. */
export function registerExcludedNetworkRoutes(api: Pick<Api, 'add'>, deps: ExcludedDeps): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'links:read',
    operationId: 'getExcludedNetworks',
    tag: TAG,
    summary: 'List excluded networks',
    success: { status: 200, description: 'The networks.', schema: Schema },
    handler: async ({ caller }) => ({
      status: 200,
      body: { networks: await networksOf(deps.storage.read, caller.workspace.no) },
    }),
  })

  endpoint(api, {
    method: 'put',
    path: PATH,
    scope: 'workspace:manage',
    operationId: 'setExcludedNetworks',
    tag: TAG,
    summary: 'Set excluded networks',
    description:
      'Visits from these networks are redirected, but not counted, and don’t use up `max_clicks`.',
    body: Schema,
    success: { status: 200, description: 'The networks.', schema: Schema },
    async handler(call) {
      const answer = await call.mutate(async (tx) => {
        await change(tx, call, deps.clock.now(), call.body.networks)
        return { status: 200, body: call.body }
      })
      // Applies to the next visit; if it fails, the timer refreshes it later.
      await deps.excluded.refresh().catch(() => {})
      return answer
    },
  })
}

/** @throws AppError NOT_FOUND: the workspace has been deleted in the meantime */
async function change(
  tx: Transaction,
  call: Pick<Call<Caller>, 'caller' | 'requestId'>,
  at: number,
  networks: readonly string[],
): Promise<void> {
  const { workspace, actor } = writerOf(call)
  await tx.lockWorkspace(workspace.no)
  const before = await networksOf(tx, workspace.no)
  if (JSON.stringify(before) === JSON.stringify(networks)) return
  const { name } = await tx.db
    .updateTable('workspaces')
    .set({ excluded_networks: JSON.stringify(networks) })
    .where('no', '=', workspace.no)
    .returning('name')
    .executeTakeFirstOrThrow()
  await recordChange(tx, actor, {
    workspaceNo: workspace.no,
    at,
    action: 'workspace.updated',
    target: { type: 'workspace', id: workspace.id, label: name },
    before: { excluded_networks: before },
    after: { excluded_networks: networks },
  })
}

async function networksOf({ db }: Pick<Storage['read'], 'db'>, no: number): Promise<string[]> {
  const row = await db
    .selectFrom('workspaces')
    .select('excluded_networks')
    .where('no', '=', no)
    .executeTakeFirst()
  if (row === undefined) throw new AppError('NOT_FOUND')
  return JSON.parse(row.excluded_networks) as string[]
}
