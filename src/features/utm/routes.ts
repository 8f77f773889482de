import { z } from '@hono/zod-openapi'
import type { Cursors } from '../../http/cursor.ts'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageOfAll, pageParameters, pageSuccess } from '../../http/page.ts'
import { answerCreated, answerOk, describeOne } from '../../http/respond.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { writerOf } from '../audit/index.ts'
import {
  TEMPLATES_MAX,
  UTM_TEMPLATE_EXAMPLE,
  type UtmTemplate,
  UtmTemplateCreateSchema,
  UtmTemplateListSchema,
  UtmTemplatePatchSchema,
  UtmTemplateSchema,
} from './schemas.ts'
import type { UtmService } from './service.ts'

const PATH = '/api/v1/utm-templates'
const READ = { scope: 'links:read', tag: 'UTM templates' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'UTM templates' } as const

const BY_ID = {
  path: `${PATH}/{id}`,
  params: z.object({
    id: z.string().openapi({ description: 'The id of the template.', example: 'utm_01hzy3v9k2' }),
  }),
}

const one = describeOne('template', UtmTemplateSchema, UTM_TEMPLATE_EXAMPLE)

/** The endpoints of UTM templates. */
export function registerUtmRoutes(
  api: Pick<Api, 'add'>,
  deps: { utm: UtmService; cursors: Cursors },
): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: PATH,
    operationId: 'listUtmTemplates',
    summary: 'List UTM templates',
    description: `The templates of the workspace by name, ${TEMPLATES_MAX} at most.`,
    query: z.object(pageParameters),
    success: pageSuccess('One page of templates.', UtmTemplateListSchema, UTM_TEMPLATE_EXAMPLE),
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const templates = await deps.utm.list(call.caller)
      const binding = ['utm templates', call.caller.workspace.no]
      const keyOf = ({ name }: UtmTemplate) => [foldCase(name)]
      return pageAnswer(call, pageOfAll(deps.cursors, binding, templates, call.query, keyOf))
    },
  })

  endpoint(api, {
    ...WRITE,
    method: 'post',
    path: PATH,
    wholeWorkspace: true,
    operationId: 'createUtmTemplate',
    summary: 'Create a UTM template',
    description:
      'A name, and values that are set in the destination of links; see `utm` of a link.',
    body: UtmTemplateCreateSchema,
    bodyExample: { name: 'Newsletter', source: 'newsletter', medium: 'email' },
    success: one(201, 'The template.'),
    errors: ['UTM_TEMPLATE_TAKEN'],
    handler: (call) =>
      call.mutate(async (tx) =>
        answerCreated(PATH, await deps.utm.create(tx, writerOf(call), call.body)),
      ),
  })

  endpoint(api, {
    ...READ,
    ...BY_ID,
    method: 'get',
    operationId: 'getUtmTemplate',
    summary: 'Get a UTM template',
    success: one(200, 'The template.'),
    errors: ['UTM_TEMPLATE_NOT_FOUND'],
    handler: async ({ caller, params }) => answerOk(await deps.utm.get(caller, params.id)),
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'patch',
    wholeWorkspace: true,
    operationId: 'updateUtmTemplate',
    summary: 'Update a UTM template',
    description: 'A JSON merge patch (RFC 7396). Links that took its values stay as they are.',
    body: UtmTemplatePatchSchema,
    bodyExample: { campaign: 'summer' },
    success: one(200, 'The template as it is now.'),
    errors: ['UTM_TEMPLATE_NOT_FOUND', 'UTM_TEMPLATE_TAKEN', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate(async (tx) => {
        const { params, body, ifMatch } = call
        return answerOk(await deps.utm.update(tx, writerOf(call), params.id, body, ifMatch))
      }),
  })

  endpoint(api, {
    ...WRITE,
    ...BY_ID,
    method: 'delete',
    wholeWorkspace: true,
    operationId: 'deleteUtmTemplate',
    summary: 'Delete a UTM template',
    success: { status: 204, description: 'The template is deleted.' },
    errors: ['UTM_TEMPLATE_NOT_FOUND', 'PRECONDITION_FAILED'],
    handler: (call) =>
      call.mutate((tx) => deps.utm.remove(tx, writerOf(call), call.params.id, call.ifMatch)),
  })
}
