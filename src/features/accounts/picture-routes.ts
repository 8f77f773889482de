import { z } from '@hono/zod-openapi'
import { type Answer, type Api, endpoint, noneMatch, personOf } from '../../http/index.ts'
import { IMAGE_BODY_BYTES_MAX, IMAGE_SIDE_MAX, readImage } from '../../lib/validation/image.ts'
import type { Accounts } from './accounts.ts'
import { PICTURE_SIDE } from './pictures.ts'

const PICTURE = '/api/v1/account/picture'
const OWN = { scope: null, tag: 'Accounts', person: true } as const
const Params = z.object({ id: z.string() })

/** The dashboard's endpoints for pictures of people. */
export function registerPictureRoutes(
  api: Pick<Api, 'add'>,
  service: () => Accounts['service'],
): void {
  endpoint(api, {
    method: 'get',
    path: '/api/v1/people/{id}/picture',
    ...OWN,
    operationId: 'getPicture',
    summary: 'Get a member’s picture',
    params: Params,
    query: z.object({ v: z.string().max(100).optional() }),
    success: { status: 200, description: 'A PNG.', contentType: 'image/png', schema: z.string() },
    errors: ['NOT_FOUND'],
    async handler(call): Promise<Answer> {
      const { png, digest } = await service().picture(personOf(call), call.params.id)
      const headers = { 'Content-Type': 'image/png', ETag: `"${digest}"` }
      if (noneMatch(call.request.headers.get('if-none-match'), headers.ETag)) {
        return { status: 304, headers }
      }
      const stream = async () => new Blob([Buffer.from(png, 'base64')]).stream()
      return { status: 200, headers, stream }
    },
  })

  endpoint(api, {
    method: 'put',
    path: PICTURE,
    ...OWN,
    dryRun: true,
    operationId: 'setPicture',
    summary: 'Set your picture',
    description: `It is re-encoded as a PNG of at most ${PICTURE_SIDE} pixels a side.`,
    body: z.strictObject({
      image: z.string().openapi({
        description:
          'A PNG, JPEG or WebP image in Base64, of at most 1 MiB and ' +
          `${IMAGE_SIDE_MAX} pixels a side.`,
      }),
    }),
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    success: {
      status: 200,
      description: 'The URL of the picture.',
      schema: z.strictObject({ picture: z.string().nullable() }),
    },
    async handler(call) {
      const { png } = await readImage(call.body.image, PICTURE_SIDE)
      return call.mutate(async (tx) => ({
        status: 200,
        body: { picture: await service().setPicture(tx, personOf(call), png, call) },
      }))
    },
  })

  endpoint(api, {
    method: 'delete',
    path: PICTURE,
    ...OWN,
    dryRun: true,
    operationId: 'deletePicture',
    summary: 'Remove your picture',
    success: { status: 204, description: 'There is none.' },
    errors: ['NOT_FOUND'],
    handler: (call) =>
      call.mutate(async (tx) => {
        await service().removePicture(tx, personOf(call), call)
        return { status: 204 }
      }),
  })
}
