import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { listOf, pageAnswer, pageParameters, repeatable } from '../../http/page.ts'
import { checked } from '../../lib/validation/checked.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { AuditService } from './service.ts'
import { ActorSchema } from './types.ts'

const TEXT_MAX = 300
const ACTIONS_MAX = 20

const time = checked(z.string(), (text) => parseTimestamp(text)).optional()
const text = (description: string) =>
  z.string().max(TEXT_MAX).optional().openapi({ param: { description } })

const Query = z.object({
  action: repeatable(z.string().max(TEXT_MAX), ACTIONS_MAX).openapi({
    type: 'array',
    items: { type: 'string' },
    param: {
      description: 'Like `link.updated`, or the first part alone: `link`. May be repeated.',
    },
  }),
  actor: text('The id of a user or key, an email address, `command` or `system`.'),
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
  grouped: z
    .enum(['true', 'false'])
    .default('false')
    .openapi({
      param: {
        description: '`true`: one entry for all changes of a job, with their number in `changes`.',
      },
    }),
  group: checked(z.string(), (id) => numberOf(id))
    .optional()
    .openapi({
      type: 'string',
      param: { description: 'The id of the entry of a job: lists only the changes of that job.' },
    }),
  search: checked(z.string().max(TEXT_MAX), (term) => term.toLowerCase())
    .optional()
    .openapi({
      type: 'string',
      param: {
        description:
          'A part of the name or id of the changed object or of the actor, any case. A request ' +
          'searches 5,000 entries: a page can be empty although more follow.',
      },
    }),
  ...pageParameters,
})

const ENTRY = /^aud_(\d{1,10})$/

function numberOf(id: string): number | ValidationIssue {
  const number = Number(ENTRY.exec(id)?.[1])
  return Number.isSafeInteger(number)
    ? number
    : new ValidationIssue('INVALID_VALUE', { example: 'aud_17' })
}

const fields = z.record(z.string(), z.unknown())

const AuditListSchema = listOf(
  z
    .object({
      id: z.string(),
      created_at: z.string().openapi({ format: 'date-time' }),
      actor: ActorSchema,
      action: z.string().openapi({ description: 'Like `link.updated`.' }),
      target: z.object({ type: z.string(), id: z.string(), label: z.string() }),
      before: fields.openapi({ description: 'The changed fields before the change.' }),
      after: fields.openapi({ description: 'The same fields after the change.' }),
      request_id: z.string().nullable(),
      group: z.string().nullable().openapi({
        description: 'The entry of the job that made the change. Null: none did.',
      }),
      changes: z.int().min(0).openapi({
        description:
          'Of the entry of a job: how many changes it has (entries with this one as `group`).',
      }),
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
      const { limit, cursor, grouped, ...asked } = call.query
      const filter = { ...asked, grouped: grouped === 'true' }
      const workspaceNo = call.caller.workspace.no
      return pageAnswer(call, await deps.audit.list({ workspaceNo, ...filter }, { limit, cursor }))
    },
  })
}
