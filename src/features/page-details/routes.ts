import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { checked } from '../../lib/validation/checked.ts'
import { createUrlCheck } from '../../model/links/values.ts'
import type { PageDetailsService } from './service.ts'

/** No rule about hosts: which ones this instance may call is not said. */
const checkUrl = createUrlCheck(
  { hosts: [], listenPort: 0, basePort: 0 },
  { schemes: ['http', 'https'] },
)

const Body = z.strictObject({ url: checked(z.string(), checkUrl) }).openapi('PageDetailsRequest')

const Result = z
  .object({
    title: z.string().nullable(),
    description: z.string().nullable(),
    image_url: z.string().nullable(),
  })
  .openapi('PageDetails')

/** The dashboard's endpoint for what a destination says about itself. */
export function registerPageDetailsRoute(
  api: Pick<Api, 'add'>,
  deps: { pageDetails: PageDetailsService },
): void {
  endpoint(api, {
    method: 'post',
    path: '/api/v1/page-details',
    scope: 'links:write',
    safe: true,
    secret: true,
    operationId: 'getPageDetails',
    tag: 'Links',
    summary: 'Get title, description and image of a page',
    description: 'Requests the page. All are null if it can’t be read, whatever the reason.',
    body: Body,
    success: { status: 200, description: 'The details; null: the page has none.', schema: Result },
    async handler({ caller, person, body }) {
      const opener = { ...caller, person: person && { id: person.userId } }
      return { status: 200, body: await deps.pageDetails.read(opener, new URL(body.url.target)) }
    },
  })
}
