import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { listOf, pageAnswer, pageParameters } from '../../http/page.ts'
import { checked } from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import type { AuditService } from './service.ts'
import { ActorSchema } from './types.ts'

const TEXT_MAX = 300

const time = checked(z.string(), (text) => parseTimestamp(text)).optional()
const text = (description: string) =>
  z.string().max(TEXT_MAX).optional().openapi({ param: { description } })

const Query = z.object({
  action: text('Like `link.updated`, or the first part alone: `link`.'),
  actor: text('The id of a user or key, an e-mail address, or `command`.'),
  target: text('The id of what was changed, or its label.'),
  after: time.openapi({
    type: 'string',
    format: 'date-time',
    param: { description: 'Inclusive.' },
  }),
  before: time.openapi({
    type: 'string',
    format: 'date-time',
    param: { description: 'Exclusive.' },
  }),
  ...pageParameters,
})

const fields = z.record(z.string(), z.unknown())

const AuditListSchema = listOf(
  z
    .object({
      id: z.string(),
      created_at: z.string().openapi({ format: 'date-time' }),
      actor: ActorSchema,
      action: z.string().openapi({ description: 'Like `link.updated`.' }),
      target: z.object({ type: z.string(), id: z.string(), label: z.string() }),
      before: fields.openapi({ description: 'The fields that changed, as they were.' }),
      after: fields.openapi({ description: 'The same fields, as they are since.' }),
      request_id: z.string().nullable(),
    })
    .openapi('AuditEntry'),
).openapi('AuditList')

/** The dashboard's endpoint of the audit log. */
export function registerAuditRoutes(api: Pick<Api, 'add'>, deps: { audit: AuditService }): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/audit',
    scope: 'audit:read',
    operationId: 'listAudit',
    tag: 'Audit log',
    summary: 'List audit log entries',
    query: Query,
    success: {
      status: 200,
      description: 'One page of entries, the newest first.',
      schema: AuditListSchema,
    },
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { limit, cursor, ...filter } = call.query
      const workspaceNo = call.caller.workspace.no
      return pageAnswer(call, await deps.audit.list({ workspaceNo, ...filter }, { limit, cursor }))
    },
  })
}
