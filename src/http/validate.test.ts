import { describe, expect, test } from 'bun:test'
import { z } from '@hono/zod-openapi'
import type { AppError, ErrorDetail } from '../lib/errors/index.ts'
import { boundedList, boundedRecord } from '../lib/validation/checked.ts'
import { detailsOfZodError } from './details.ts'
import { validate } from './request.ts'

const schema = z.strictObject({
  url: z.string().max(5),
  tags: z.array(z.string().min(2)).max(3).optional(),
  count: z.int().min(1).max(100).nullable().optional(),
  open: z.int().min(1).optional(),
  status: z.literal([301, 302]).optional(),
  at: z.iso.datetime().optional(),
  either: z.union([z.strictObject({ a: z.string() }), z.boolean()]).optional(),
  own: z
    .string()
    .superRefine((_, context) => {
      context.addIssue({ code: 'custom', params: { detail: 'SLUG_RESERVED' } })
    })
    .optional(),
})

function thrownBy(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    return error as AppError
  }
  throw new Error('Nothing was thrown')
}

function detailsOf(input: unknown): ErrorDetail[] {
  const { error } = schema.safeParse(input)
  return error === undefined ? [] : detailsOfZodError(error, input, schema)
}

describe('details of a schema’s result', () => {
  const cases: [string, object, ErrorDetail][] = [
    ['a missing field', {}, { field: 'url', code: 'REQUIRED' }],
    ['null for a field that must be there', { url: null }, { field: 'url', code: 'REQUIRED' }],
    [
      'null for one that may be absent',
      { url: '', tags: null },
      { field: 'tags', code: 'INVALID_TYPE', params: { expected: 'array' } },
    ],
    ['too long', { url: 'abcdef' }, { field: 'url', code: 'TOO_LONG', params: { max: 5 } }],
    ['unknown', { url: '', x: 1 }, { field: 'x', code: 'UNKNOWN_FIELD' }],
    [
      'too short, nested',
      { url: '', tags: ['ab', 'a'] },
      { field: 'tags[1]', code: 'TOO_SHORT', params: { min: 2 } },
    ],
    [
      'too many',
      { url: '', tags: ['aa', 'bb', 'cc', 'dd'] },
      { field: 'tags', code: 'TOO_MANY', params: { max: 3 } },
    ],
    [
      'too great',
      { url: '', count: 101 },
      { field: 'count', code: 'OUT_OF_RANGE', params: { min: 1, max: 100 } },
    ],
    [
      'too small',
      { url: '', count: 0 },
      { field: 'count', code: 'OUT_OF_RANGE', params: { min: 1, max: 100 } },
    ],
    [
      'too small, without an upper bound',
      { url: '', open: 0 },
      { field: 'open', code: 'OUT_OF_RANGE', params: { min: 1 } },
    ],
    [
      'beyond what a double holds exactly',
      { url: '', open: 1e300 },
      {
        field: 'open',
        code: 'OUT_OF_RANGE',
        params: { min: 1, max: Number.MAX_SAFE_INTEGER },
      },
    ],
    [
      'beyond what a double holds',
      { url: '', count: Number.POSITIVE_INFINITY },
      { field: 'count', code: 'INVALID_TYPE', params: { expected: 'integer' } },
    ],
    [
      'a fraction',
      { url: '', count: 1.5 },
      { field: 'count', code: 'INVALID_TYPE', params: { expected: 'integer' } },
    ],
    [
      'not of the list',
      { url: '', status: 303 },
      { field: 'status', code: 'INVALID_VALUE', params: { allowed: ['301', '302'] } },
    ],
    ['no timestamp', { url: '', at: 'soon' }, { field: 'at', code: 'INVALID_TIMESTAMP' }],
    ['a union', { url: '', either: {} }, { field: 'either.a', code: 'REQUIRED' }],
    ['the schema’s own word', { url: '', own: 'x' }, { field: 'own', code: 'SLUG_RESERVED' }],
  ]
  for (const [name, input, expected] of cases) {
    test(name, () => expect(detailsOf(input)).toEqual([expected]))
  }

  test('names 100 unknown fields, and counts the others', () => {
    const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`k${n}`, n]))
    const fault = thrownBy(() => validate(schema, { url: '', ...unknown }))
    expect(fault.details).toHaveLength(101)
    expect(fault.details?.at(-1)).toEqual({
      field: '',
      code: 'TOO_MANY_DETAILS',
      params: { count: 8_900 },
    })
  })

  test('counts lists and objects before it looks at what is in them', () => {
    const seen: unknown[] = []
    const item = z.string().refine((text) => seen.push(text) > 0)
    const bounded = z.strictObject({
      list: boundedList(item, { max: 3, min: 1 }).optional(),
      record: boundedRecord(item, boundedList(item, { max: 2 }), 2).optional(),
    })
    const faults = (input: unknown) => {
      const { error } = bounded.safeParse(input)
      return error === undefined ? [] : detailsOfZodError(error, input, bounded)
    }
    const tooMany = (field: string, max: number) => ({ field, code: 'TOO_MANY', params: { max } })
    const many = new Array(2_000_000).fill('a')
    expect(faults({ list: many, record: { a: many, b: [1] } })).toEqual([
      tooMany('list', 3),
      tooMany('record.a', 2),
      { field: 'record.b[0]', code: 'INVALID_TYPE', params: { expected: 'string' } },
    ] as ErrorDetail[])
    expect(faults({ record: { a: [], b: [], c: 1 } })).toEqual([
      tooMany('record', 2),
    ] as ErrorDetail[])
    expect(seen).toEqual(['a', 'b'])
    expect(faults({ list: [] })).toEqual([{ field: 'list', code: 'TOO_FEW', params: { min: 1 } }])
    expect(faults({ list: 'a' })).toEqual([
      { field: 'list', code: 'INVALID_TYPE', params: { expected: 'array' } },
    ])
    expect(faults({ list: ['a', 'b', 'c'] })).toEqual([])
  })

  test('reports all failures together', () => {
    const details = detailsOf({ tags: [1], count: 'x', y: 1 })
    expect(details.map(({ field }) => field)).toEqual(['url', 'tags[0]', 'count', 'y'])
  })
})
