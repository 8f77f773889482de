import { z } from '@hono/zod-openapi'
import { checked, whole } from '../../lib/validation/checked.ts'
import { IMAGE_SIDE_MAX } from '../../lib/validation/image.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { colorField } from '../domains/schemas.ts'
import {
  CORRECTIONS,
  DEFAULT_STYLE,
  EYE_SHAPES,
  MODULE_SHAPES,
  QR_MARGIN,
  QR_SIZE,
} from './drawing.ts'
import { LOGO_SIDE_MAX } from './logo.ts'

/** `#` is optional because it must be written as `%23` in a query. */
const COLOR = /^#?((?:[\da-f]{2}){3,4})$/i

const styled = (description: string, standard: string | number) =>
  `${description} Default: that of the workspace’s style, initially \`${standard}\`.`

function color(standard: string, description: string) {
  return checked(z.string(), (text) => {
    const digits = COLOR.exec(text)?.[1]
    return digits === undefined ? new ValidationIssue('INVALID_COLOR') : `#${digits.toLowerCase()}`
  })
    .optional()
    .openapi({
      type: 'string',
      pattern: '^#?([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$',
      param: {
        description: styled(
          `${description} \`#rrggbb\` or \`#rrggbbaa\`, with or without \`#\`.`,
          standard,
        ),
      },
    })
}

function choice<const T extends readonly [string, ...string[]]>(
  values: T,
  standard: T[number],
  description: string,
) {
  return z
    .enum(values)
    .optional()
    .openapi({ param: { description: styled(description, standard) } })
}

/** The parameters of a code. */
export const QrQuerySchema = z.object({
  size: whole(QR_SIZE.max, QR_SIZE.min)
    .optional()
    .openapi({
      param: { description: 'The side of the picture in pixels.' },
      default: QR_SIZE.default,
    }),
  margin: whole(QR_MARGIN.max, QR_MARGIN.min)
    .optional()
    .openapi({
      param: {
        description: styled('Empty modules around the code; readers want 4.', QR_MARGIN.default),
      },
    }),
  dark: color(DEFAULT_STYLE.dark, 'The color of the modules.'),
  light: color(DEFAULT_STYLE.light, 'The color between and around them.'),
  correction: z
    .enum(CORRECTIONS)
    .optional()
    .openapi({
      param: {
        description:
          'How much of the code may be damaged: 7, 15, 25 or 30 %. Default: that of the ' +
          'workspace’s style, initially `M`; `H` if that is too low for the logo.',
      },
    }),
  modules: choice(MODULE_SHAPES, 'square', 'The shape of the modules.'),
  eyes: choice(EYE_SHAPES, 'square', 'The shape of the three finder patterns.'),
  logo: z
    .enum(['true', 'false'])
    .optional()
    .openapi({
      param: {
        description:
          'Whether the workspace’s logo is in the middle; it needs correction Q or H. Default: ' +
          'that of the workspace’s style, initially `false`.',
      },
    }),
})

export type QrQuery = z.output<typeof QrQuerySchema>

/** A workspace's style as it is set and given out. */
export const QrStyleSchema = z
  .strictObject({
    margin: z.int().min(QR_MARGIN.min).max(QR_MARGIN.max),
    dark: colorField,
    light: colorField,
    correction: z.enum(CORRECTIONS),
    modules: z.enum(MODULE_SHAPES),
    eyes: z.enum(EYE_SHAPES),
    logo: z
      .boolean()
      .openapi({ description: 'Whether codes have the workspace’s logo, if it has one.' }),
  })
  .openapi('QrStyle')

export const LOGO_EXAMPLE = {
  image:
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==',
  width: 1,
  height: 1,
  updated_at: '2026-05-04T09:30:12.345Z',
}

/** A logo in responses. */
export const LogoSchema = z
  .object({
    image: z.string().openapi({
      format: 'byte',
      description: 'A PNG in Base64, re-encoded from the upload.',
    }),
    width: z.int().openapi({ description: `In pixels, at most ${LOGO_SIDE_MAX}.` }),
    height: z.int().openapi({ description: `In pixels, at most ${LOGO_SIDE_MAX}.` }),
    updated_at: z
      .string()
      .openapi({ format: 'date-time', description: 'When it was uploaded, in UTC.' }),
  })
  .openapi('Logo', { example: LOGO_EXAMPLE })

export const LogoUploadSchema = z
  .strictObject({
    image: z.string().openapi({
      format: 'byte',
      description:
        `A PNG, JPEG or WebP image in Base64, of at most 1 MiB and ${IMAGE_SIDE_MAX} pixels a ` +
        'side. Its metadata and anything else in the file are removed.',
    }),
  })
  .openapi('LogoUpload')
