import { z } from '@hono/zod-openapi'
import { type ErrorDetail, invalid } from '../errors/index.ts'
import { checked } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { checkText } from '../validation/text.ts'
import type { LinkContext } from './context.ts'
import type { PreparedPatch } from './fields.ts'
import { TRACKING } from './schemas.ts'
import { UTM_FIELDS, type Utm, type UtmField, withUtm } from './utm.ts'

const UTM_VALUE_MAX = 255
const utmValue = checked(z.string(), checkText({ max: UTM_VALUE_MAX }))
  .nullable()
  .optional()
  .openapi({ type: ['string', 'null'], maxLength: UTM_VALUE_MAX })

/** The schema of `utm` in a body. */
export const utmField = z
  .strictObject(
    Object.fromEntries(UTM_FIELDS.map((field) => [field, utmValue])) as Record<
      UtmField,
      typeof utmValue
    >,
  )
  .nullable()
  .openapi({
    type: ['object', 'null'],
    description:
      'Sets parameters inside of `destination_url`, after that where both are given; null removes ' +
      'one, null for all of it removes all five. Nothing else of the destination changes.',
    example: { source: 'newsletter', medium: 'email' },
  })

/** The schema of `tracking` in a body. */
export const trackingField = z
  .enum(TRACKING)
  .nullable()
  .transform((value) => value ?? 'full')
  .openapi({
    type: 'string',
    enum: [...TRACKING],
    description:
      '`count`: clicks are counted and no single one is kept; `none`: they are not counted either. ' +
      'Default for a new link: `full`.',
    example: 'full',
  })

/**
 * A patch whose `utm` is in its destination, on top of the one that it gives.
 * @throws AppError VALIDATION_FAILED where the address is too long with it
 */
export function withUtmFields<F extends PreparedPatch>(
  { rules }: Pick<LinkContext, 'rules'>,
  patch: F,
  stored: string,
): F {
  const { utm, destination_url: destination } = patch
  if (utm === undefined) return patch
  const before = destination?.given ?? stored
  const after = withUtm(before, utm ?? NO_UTM)
  if (after === before) return patch
  const checked = rules.checkUrl(after)
  if (!(checked instanceof Fault)) return { ...patch, destination_url: checked }
  const { code, params } = checked
  throw invalid({ field: 'utm', code, ...(params && { params }) } as ErrorDetail)
}

const NO_UTM = Object.fromEntries(UTM_FIELDS.map((field) => [field, null])) as Utm
