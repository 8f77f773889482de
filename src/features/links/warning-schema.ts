import { z } from '@hono/zod-openapi'

/** The codes of warnings. */
export const WARNING_CODES = [
  'SHADOWED_RULE',
  'EXPIRES_IN_PAST',
  'NEGLIGIBLE_WEIGHT',
  'INVISIBLE_CHARACTERS',
] as const
export type WarningCode = (typeof WARNING_CODES)[number]

/** A probable mistake that was accepted. */
export const WarningSchema = z
  .object({ field: z.string(), code: z.enum(WARNING_CODES), message: z.string() })
  .openapi('Warning')

/** The member of a write's response. */
export const WARNINGS = z.array(WarningSchema).optional().openapi({
  description: 'In responses to writes: probable mistakes. Absent: none.',
})
