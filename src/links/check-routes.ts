import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../http/index.ts'
import { translate } from '../i18n/index.ts'
import type { LinkService } from './service.ts'

const Body = z
  .strictObject({
    destination_url: z.string().optional(),
    slug: z.string().optional(),
    domain: z.string().optional(),
    exclude_id: z
      .string()
      .optional()
      .openapi({ description: 'The link that is being edited: its own slug is not taken.' }),
  })
  .openapi('LinkCheck')

/** Fields of a link that may be made or changed, as typed. */
export type LinkDraft = z.output<typeof Body>

const Result = z
  .object({
    problems: z.array(z.object({ field: z.string(), code: z.string(), message: z.string() })),
    suggestions: z.array(z.string()).openapi({ description: 'Free slugs, when it is taken.' }),
  })
  .openapi('LinkCheckResult')

/** The dashboard's dry run: what would be wrong with a link that had these fields. */
export function registerLinkCheckRoute(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/check',
    scope: 'links:write',
    secret: true,
    uncounted: true,
    operationId: 'checkLink',
    tag: 'Links',
    summary: 'Check fields of a link without making it',
    body: Body,
    success: {
      status: 200,
      description: 'What is wrong; nothing when all is well.',
      schema: Result,
    },
    async handler({ body, caller, locale }) {
      const { problems, suggestions } = await deps.links.checkLink(caller, body)
      const said = problems.map(({ field, code, params }) => ({
        field,
        code,
        message: translate(locale, `detail.${code}`, params),
      }))
      return { status: 200, body: { problems: said, suggestions } }
    },
  })
}
