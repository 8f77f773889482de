import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, endpoint, personOf } from '../../http/index.ts'
import { pageAnswer, pageOf, pageParameters } from '../../http/page.ts'
import { AppError } from '../../lib/errors/index.ts'
import { operatorActor, writerOf } from '../audit/index.ts'
import type { Blocks } from './index.ts'
import { BLOCK_KINDS, BlockListSchema, BlockSchema, ReportListSchema, text } from './schemas.ts'

const PATH = '/api/v1/instance/blocks'
const REPORTS = '/api/v1/instance/reports'
const TAG = 'Instance'
/** Dependencies of the block endpoints. */
interface BlockRouteDeps {
  blocks: Blocks
  cursors: Cursors
}

/** A workspace's appeal against a block, in both APIs. */
export function registerAppealRoute(
  api: Pick<Api, 'add'>,
  deps: Pick<BlockRouteDeps, 'blocks'>,
): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/{id}/appeal',
    scope: 'links:write',
    dryRun: true,
    operationId: 'appealBlock',
    tag: 'Links',
    summary: 'Appeal a block',
    description:
      "Appeals the block of a link, whose reason is the link's `block`. A workspace can appeal a " +
      'block once; the owner of the instance reads it. The link stays blocked in the meantime.',
    params: z.object({ id: z.string().openapi({ description: 'The id of the link.' }) }),
    body: z
      .strictObject({
        text: text.openapi({ description: 'What the owner of the instance should know.' }),
      })
      .openapi('Appeal'),
    bodyExample: { text: 'The page was hacked; it has been clean since Monday.' },
    success: { status: 204, description: 'The appeal is stored.' },
    errors: ['LINK_NOT_FOUND', 'APPEAL_REFUSED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, body } = call
        await deps.blocks.service.appeal(tx, writerOf(call), deps.blocks.list, params.id, body.text)
      }),
  })
}

/** The blocks and reports of the instance, for its owner. */
export function registerBlockRoutes(api: Pick<Api, 'add'>, deps: BlockRouteDeps): void {
  const owned = { scope: null, person: 'instance owner', tag: TAG } as const
  endpoint(api, {
    ...owned,
    method: 'get',
    path: PATH,
    operationId: 'listBlocks',
    summary: 'List blocks',
    query: z.object(pageParameters),
    success: { status: 200, description: 'The newest first.', schema: BlockListSchema },
    errors: ['FORBIDDEN', 'BAD_REQUEST'],
    async handler(call) {
      const { limit, cursor } = call.query
      const below = cursor === undefined ? null : (deps.cursors.decode(cursor, PATH)[0] as string)
      const blocks = await deps.blocks.service.list(below, limit + 1)
      const body = pageOf(blocks, limit, ({ id }) => deps.cursors.encode([id], PATH))
      return pageAnswer(call, body)
    },
  })

  endpoint(api, {
    ...owned,
    method: 'post',
    path: PATH,
    operationId: 'createBlock',
    summary: 'Block a short link, host or workspace',
    body: z
      .strictObject({ kind: z.enum(BLOCK_KINDS), value: text, reason: text })
      .openapi('BlockCreate'),
    success: { status: 201, description: 'The block.', schema: BlockSchema },
    errors: ['FORBIDDEN', 'LINK_NOT_FOUND', 'WORKSPACE_NOT_FOUND', 'ALREADY_BLOCKED'],
    async handler(call) {
      const actor = operatorActor(personOf(call), call.requestId)
      const answer = await call.mutate(async (tx) => ({
        status: 201,
        body: await deps.blocks.service.create(tx, actor, call.body),
      }))
      await deps.blocks.list.refresh()
      return answer
    },
  })

  endpoint(api, {
    ...owned,
    method: 'delete',
    path: `${PATH}/{id}`,
    operationId: 'deleteBlock',
    summary: 'End a block',
    params: z.object({ id: z.string() }),
    success: { status: 204, description: 'The block is gone.' },
    errors: ['FORBIDDEN', 'BLOCK_NOT_FOUND'],
    async handler(call) {
      const actor = operatorActor(personOf(call), call.requestId)
      const answer = await call.mutate(async (tx) => {
        if (!(await deps.blocks.service.remove(tx, actor, call.params.id)))
          throw new AppError('BLOCK_NOT_FOUND')
      })
      await deps.blocks.list.refresh()
      return answer
    },
  })

  endpoint(api, {
    ...owned,
    method: 'get',
    path: REPORTS,
    operationId: 'listReports',
    summary: 'List reports by visitors',
    query: z.object(pageParameters),
    success: {
      status: 200,
      description: 'The most recently reported ones first.',
      schema: ReportListSchema,
    },
    errors: ['FORBIDDEN', 'BAD_REQUEST'],
    async handler(call) {
      return pageAnswer(call, await deps.blocks.reports.list(deps.cursors, call.query))
    },
  })

  endpoint(api, {
    ...owned,
    method: 'delete',
    path: REPORTS,
    operationId: 'dismissReport',
    summary: 'Dismiss reports of a short link',
    query: z.object({ address: z.string() }),
    success: { status: 204, description: 'The report is gone.' },
    errors: ['FORBIDDEN'],
    handler(call) {
      return call.mutate((tx) => deps.blocks.reports.dismiss(tx, call.query.address))
    },
  })
}
