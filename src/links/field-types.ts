import { z } from '@hono/zod-openapi'
import { checked } from '../validation/checked.ts'
import { checkText } from '../validation/text.ts'
import { parseTimestamp } from '../validation/timestamp.ts'

/** A time in a body. */
export function timestamp(description: string) {
  return checked(z.string(), parseTimestamp)
    .nullable()
    .openapi({
      type: ['string', 'null'],
      format: 'date-time',
      description,
      example: '2030-01-31T22:00:00+01:00',
    })
}

/** A text in a body. */
export function text(
  { max, min, lines }: { max: number; min?: 1; lines?: boolean },
  documentation: { description: string; example: string; writeOnly?: true },
) {
  return checked(z.string(), checkText({ max, ...(min && { min }), ...(lines && { lines }) }))
    .nullable()
    .openapi({
      type: ['string', 'null'],
      ...(min && { minLength: min }),
      maxLength: max,
      ...documentation,
    })
}
