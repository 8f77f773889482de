import { type Api, endpoint } from '../../../http/index.ts'
import { createPause } from '../../../lib/base/turn.ts'
import { boundedDetails, DETAILS_MAX, describeError } from '../../../lib/errors/index.ts'
import { writerOf } from '../../audit/index.ts'
import { LINK_EXAMPLE } from '../schemas.ts'
import type { LinkService } from '../service.ts'
import type { Outcome } from './run.ts'
import {
  BULK_BYTES_MAX,
  BULK_EXAMPLE,
  BulkResultSchema,
  BulkSchema,
  costMaxOf,
  costOf,
} from './schemas.ts'

/** The most details of all refused operations together. */
const BULK_DETAILS_MAX = 10_000

/** The endpoint of bulk operations. */
export function registerBulkRoutes(api: Pick<Api, 'add'>, deps: { links: LinkService }): void {
  const { bulk, warned, weigh } = deps.links

  function rendered(outcome: Outcome, call: Parameters<typeof warned>[1], detailsLeft: number) {
    if ('error' in outcome) {
      const { details, ...error } = outcome.error
      const shown =
        details && boundedDetails(details, Math.max(0, Math.min(DETAILS_MAX, detailsLeft)))
      return { ...outcome, error: describeError({ ...error, details: shown }, call.locale) }
    }
    const { link } = outcome
    return link === undefined ? outcome : { ...outcome, link: warned(link, call) }
  }

  endpoint(api, {
    method: 'post',
    path: '/api/v1/links/bulk',
    scope: 'links:create',
    dryRun: true,
    operationId: 'writeLinks',
    tag: 'Links',
    summary: 'Create, update, delete and restore links in bulk',
    description:
      'Up to 1,000 operations, in order, in one transaction and with one idempotency key. The ' +
      'request counts towards the rate limit as one request per 100 operations, or per 256 KiB of ' +
      'the links that they are about if that is more (rounded up), plus one per password to be ' +
      'hashed. A link counts as often as it occurs, with what earlier operations send for it. With ' +
      'more than 16 MiB of links, or more than the burst permits, the request is refused before ' +
      'anything is done: TOO_MANY of `operations`, with how many of them would fit. The same goes ' +
      'for passwords. With the scope `links:create` alone, every other `op` is refused with ' +
      'INSUFFICIENT_SCOPE.',
    body: BulkSchema,
    bodyExample: BULK_EXAMPLE,
    bodyBytesMax: BULK_BYTES_MAX,
    async cost(call) {
      const { body, dryRun, meter } = call
      const bytes = await weigh(writerOf(call), body.operations)
      return costOf(body, bytes, dryRun, meter.burst)
    },
    costMax: costMaxOf,
    success: {
      status: 200,
      description: 'The result of each operation, including refused ones.',
      schema: BulkResultSchema,
      example: {
        data: [{ index: 0, status: 201, link: LINK_EXAMPLE }],
        summary: { succeeded: 1, failed: 0 },
      },
    },
    errors: ['BULK_FAILED'],
    async handler(call) {
      const { body, mutate } = call
      const caller = writerOf(call)
      const prepared = await bulk.prepare(caller, body.operations, body)
      return mutate(async (tx) => {
        const outcomes = await bulk.run(tx, caller, prepared, body)
        const data = []
        const pause = createPause()
        let detailsLeft = BULK_DETAILS_MAX
        for (const outcome of outcomes) {
          await pause()
          const item = rendered(outcome, call, detailsLeft)
          data.push(item)
          if ('error' in item) detailsLeft -= item.error.details?.length ?? 0
        }
        const failed = data.filter((outcome) => 'error' in outcome).length
        return { status: 200, body: { data, summary: { succeeded: data.length - failed, failed } } }
      })
    },
  })
}
