import { z } from '@hono/zod-openapi'
import { LINK_EXAMPLE } from './schemas.ts'
import type { Link } from './types.ts'

/** What the endpoints of links have in common. */
export const PATH = '/api/v1/links'
export const TAG = 'Links'
export const ETAG = { ETag: 'The version of the link, for `If-Match` and `If-None-Match`.' }

export const LinkParams = z.object({
  id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
})

/** A link with its ETag. */
export function answer(status: 200 | 201, link: Link) {
  return { status, body: link, version: link.version }
}
