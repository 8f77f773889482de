import { z } from '@hono/zod-openapi'
import type { ErrorDetail } from '../errors/index.ts'
import { type Api, endpoint } from '../http/index.ts'
import { translate } from '../i18n/index.ts'
import { Fault } from '../validation/fault.ts'
import { checkDomain } from './rules.ts'
import { PATH, TAG } from './schemas.ts'
import type { LinkService } from './service.ts'
import { parseSlug } from './slug.ts'

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
    path: `${PATH}/check`,
    scope: 'links:write',
    secret: true,
    uncounted: true,
    operationId: 'checkLink',
    tag: TAG,
    summary: 'Check fields of a link without making it',
    body: Body,
    success: {
      status: 200,
      description: 'What is wrong; nothing when all is well.',
      schema: Result,
    },
    async handler({ body, caller, locale }) {
      const { rules } = deps.links
      const problems: ErrorDetail[] = []
      let suggestions: string[] = []
      const passes = <T>(field: string, result: T | Fault): result is T => {
        if (!(result instanceof Fault)) return true
        const { code, params } = result
        problems.push({ field, code, ...(params && { params }) } as ErrorDetail)
        return false
      }
      const { destination_url: url } = body
      if (url !== undefined) passes('destination_url', rules.checkUrl(url))
      const domain = body.domain === undefined ? undefined : checkDomain(body.domain, rules.domains)
      const hasDomain = passes('domain', domain)
      const slug = body.slug === undefined ? undefined : parseSlug(body.slug)
      if (slug !== undefined && passes('slug', slug) && hasDomain) {
        const taken = await deps.links.checkAddress(
          caller,
          { slug, domainNo: domain },
          body.exclude_id,
        )
        problems.push(...taken.problems)
        suggestions = taken.suggestions
      }
      return {
        status: 200,
        body: {
          problems: problems.map(({ field, code, params }) => ({
            field,
            code,
            message: translate(locale, `detail.${code}`, params),
          })),
          suggestions,
        },
      }
    },
  })
}
