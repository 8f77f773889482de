import { z } from '@hono/zod-openapi'
import { listOf } from '../../http/page.ts'
import { boundedText, checked } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { WarningSchema } from '../links/index.ts'
import { FORMATS, IMPORT_FIELDS, type ImportField, type Mapping } from './formats/index.ts'
import { SOURCE_NAMES } from './sources/index.ts'
import { FILE_NAME_MAX } from './upload.ts'
import { CONFLICTS } from './write.ts'

export const IMPORT_STATUSES = ['created', 'renamed', 'updated', 'skipped', 'refused'] as const
export const UNDO_STATES = ['deleted', 'restored', 'kept'] as const

/** The reference's example of a row. */
export const ROW_EXAMPLE = {
  row: 17,
  status: 'refused',
  slug: 'api',
  destination_url: 'https://example.com/api',
  link_id: null,
  reasons: [
    { field: 'slug', code: 'SLUG_RESERVED', message: 'This name is reserved. Choose another one.' },
  ],
  undo: null,
}

const text = (description: string) => z.string().nullable().openapi({ description })

/** The result of one record. */
export const RowSchema = z
  .object({
    row: z.int().openapi({ description: 'The number of the record, from 1, without the header.' }),
    status: z.enum(IMPORT_STATUSES).openapi({
      description:
        '`renamed`: created with another slug, because a link has the one in the file. `skipped`: a ' +
        'link has it, and stays as it is.',
    }),
    slug: text('The slug of the link, or the one in the file.'),
    destination_url: text('The destination in the file.'),
    link_id: text('The created, changed or conflicting link. Null: none.'),
    reasons: z
      .array(z.object({ field: z.string(), code: z.string(), message: z.string() }))
      .openapi({ description: 'Why it was refused, skipped, renamed, or kept by an undo.' }),
    warnings: z.array(WarningSchema).optional().openapi({
      description: 'Probable mistakes in the link. Absent: none.',
    }),
    undo: z
      .enum(UNDO_STATES)
      .nullable()
      .openapi({
        description:
          'What happened to it when the import was undone. `kept`: the link was changed since. ' +
          'Null: it was not undone.',
      }),
  })
  .openapi('ImportRow', { example: ROW_EXAMPLE })

export const RowListSchema = listOf(RowSchema).openapi('ImportRowList')

const MAPPING_EXAMPLE = '{"destination_url":"Long URL","slug":"Back half"}'

/** `field → column`, as JSON in a parameter. */
const mapping = checked(z.string(), (json): Mapping | ValidationIssue | ValidationIssue[] => {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return new ValidationIssue('INVALID_TYPE', { expected: 'object' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return new ValidationIssue('INVALID_TYPE', { expected: 'object' })
  }
  const faults = Object.entries(value).flatMap(([field, column]) => {
    if (!IMPORT_FIELDS.includes(field as ImportField))
      return new ValidationIssue('UNKNOWN_FIELD').at(field)
    if (column === null || typeof column === 'string') return []
    return new ValidationIssue('INVALID_TYPE', { expected: 'string' }).at(field)
  })
  const given = Object.entries(value).filter(([, column]) => column !== null)
  if (faults.length > 0) return faults
  if (given.some(([field]) => field === 'destination_url')) return Object.fromEntries(given)
  return new ValidationIssue('REQUIRED').at('destination_url')
}).openapi({
  type: 'string',
  minLength: 1,
  param: {
    description:
      'For a CSV file of your own: a JSON object that names the column of each field, of ' +
      `${IMPORT_FIELDS.map((name) => `\`${name}\``).join(', ')}.`,
  },
  example: MAPPING_EXAMPLE,
})

const flag = z.enum(['true', 'false']).transform((value) => value === 'true')

/** Options of all imports. */
export function createOptions(domain: z.ZodType<string>) {
  return {
    domain: domain.optional().openapi({
      type: 'string',
      minLength: 1,
      param: {
        description:
          "The short domain of links whose own isn't one of this instance. Default: the instance's own.",
      },
      example: 'go.example.com',
    }),
    folder_id: z
      .string()
      .optional()
      .openapi({
        type: 'string',
        minLength: 1,
        param: {
          description:
            'The folder of all links that the import creates or changes, whatever the file says. ' +
            'Default: each record’s own, if it exists here.',
        },
        example: 'fld_01hzy3v9k2q4r6s8t0v2w4x6y8',
      }),
    on_conflict: z
      .enum(CONFLICTS)
      .default('skip')
      .openapi({
        param: {
          description:
            'What happens to a record whose slug or external id a link of the workspace has already: ' +
            '`skip` leaves the link as it is, `update` gives it the fields of the record, `rename` ' +
            'makes a link with another slug, `fail` imports nothing at all.',
        },
        example: 'skip',
      }),
    if_exists: z
      .enum(['return'])
      .optional()
      .openapi({
        param: {
          description:
            '`return`: a record is skipped if a link has the same destination, domain and every ' +
            'other field of the record.',
        },
        example: 'return',
      }),
    dry_run: flag.default(false).openapi({
      type: 'boolean',
      param: {
        description:
          'Checks every record as the import would, and writes no link: result and rows say what ' +
          'would happen to each.',
      },
      example: true,
    }),
  }
}

/** The body of an import from a running service; `dry_run` is a parameter. */
export function createRemoteBody(domain: z.ZodType<string>) {
  const { domain: place, folder_id, on_conflict, if_exists } = createOptions(domain)
  return z
    .strictObject({
      source: z.enum(SOURCE_NAMES).openapi({ description: 'The service.', example: 'shlink' }),
      base_url: z
        .string()
        .max(2_048)
        .optional()
        .openapi({
          minLength: 1,
          description:
            'Its address. Default for Dub, Bitly and Short.io: their own. Not in a private network, ' +
            'unless the operator of this instance allows that.',
          example: 'https://s.example.org',
        }),
      token: z
        .string()
        .min(1)
        .max(4_096)
        .openapi({
          writeOnly: true,
          description:
            'An API key of the service that may read its links; of YOURLS the signature. Kept, encrypted, ' +
            'as long as the job runs.',
          example: '8f0c7e1a-55d4-4a9e-9d6b-0b4f0a0f3c11',
        }),
      domain: place,
      folder_id,
      on_conflict,
      if_exists,
    })
    .openapi('ImportRemote')
}

/** The parameters of an import of a file. */
export function createFileOptions(domain: z.ZodType<string>) {
  return z.strictObject({
    format: z
      .enum(['auto', ...FORMATS])
      .default('auto')
      .openapi({
        param: {
          description:
            'The format of the file. `auto` detects it; `csv` is any table with common column names.',
        },
        example: 'auto',
      }),
    mapping: mapping.optional(),
    file_name: boundedText({ max: FILE_NAME_MAX, min: 1 })
      .optional()
      .openapi({
        param: {
          description:
            'The name of the file, by which its jobs are shown. Default: the one in a multipart body.',
        },
        example: 'bitly.csv',
      }),
    ...createOptions(domain),
  })
}

/** A preview of a file's first records. */
export const PreviewSchema = z
  .object({
    format: z.enum(FORMATS).nullable().openapi({
      description: 'The detected format. Null: no column looks like a destination.',
    }),
    columns: z.array(z.string()).openapi({ description: 'The columns or members of the file.' }),
    mapping: z.record(z.string(), z.string()).openapi({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The column of each field, in the form of `mapping`.',
    }),
    records: z
      .array(z.record(z.string(), z.unknown()))
      .openapi({ description: 'The first records, as in the file.' }),
  })
  .openapi('ImportPreview')
