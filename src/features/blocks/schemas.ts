import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedText } from '../../lib/validation/checked.ts'

export const BLOCK_KINDS = ['link', 'host', 'destination_host', 'workspace'] as const
export type BlockKind = (typeof BLOCK_KINDS)[number]

/** The most characters of a reason, an appeal or a value. */
const TEXT_MAX = 1_000
export const text = boundedText({ min: 1, max: TEXT_MAX })
const at = z.string().openapi({ format: 'date-time' })

/** A block as the owner of the instance sees it. */
export const BlockSchema = z
  .object({
    id: z.string(),
    kind: z.enum(BLOCK_KINDS),
    value: z.string(),
    reason: z.string(),
    link_id: z.string().nullable(),
    created_by: z.string(),
    created_at: at,
    appeals: z.array(
      z.object({ workspace_id: z.string(), link_id: z.string(), text: z.string(), created_at: at }),
    ),
  })
  .openapi('Block')

export const BlockListSchema = listOf(BlockSchema).openapi('BlockList')

/** Reports of visitors: how many, and the text of the newest about `host/slug`. */
const ReportSchema = z
  .object({ address: z.string(), times: z.int(), text: z.string(), reported_at: at })
  .openapi('Report')

export const ReportListSchema = listOf(ReportSchema).openapi('ReportList')

/** Times are RFC 3339 in UTC. */
export type Block = z.output<typeof BlockSchema>
export type Report = z.output<typeof ReportSchema>

/** What to block, as the client wrote it. */
export type BlockInput = Pick<Block, 'kind' | 'value' | 'reason'>
