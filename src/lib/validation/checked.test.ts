import { expect, test } from 'bun:test'
import { z } from '@hono/zod-openapi'
import { boundedList, boundedRecord, checked, checkWith, orDefault, parseFor } from './checked.ts'
import { ValidationIssue } from './validation-issue.ts'

const own = checked(z.string(), (host, workspaceNo) =>
  host === `host${workspaceNo}` ? host : new ValidationIssue('UNKNOWN_DOMAIN'),
)

const SCHEMAS = {
  itself: [own, 'host7'],
  'a member': [z.strictObject({ host: own }), { host: 'host7' }],
  'an optional member': [z.object({ host: own.optional() }), { host: 'host7' }],
  'a nullable member': [z.object({ host: own.nullable() }), { host: 'host7' }],
  'a member with a default': [z.object({ host: orDefault(own, 'x') }), { host: 'host7' }],
  'an item': [boundedList(own, { max: 2 }), ['host7', 'host7']],
  'an item of a checked list': [checked(boundedList(own, { max: 2 }), (all) => all), ['host7']],
  'a value of a record': [boundedRecord(z.string(), own, 2), { a: 'host7' }],
  'a choice': [z.union([z.number(), own]), 'host7'],
  'a piped value': [z.preprocess((value) => value, z.string().pipe(own)), 'host7'],
  'a described value': [own.openapi({ description: 'A host.' }), 'host7'],
  'an object with checks': [z.object({ host: own }).check(checkWith(() => [])), { host: 'host7' }],
  'a partial object': [z.object({ host: own }).partial(), { host: 'host7' }],
} as const satisfies Record<string, readonly [z.ZodType, unknown]>

test.each(Object.entries(SCHEMAS))('the check of %s gets the workspace', (_, [schema, value]) => {
  expect(parseFor(7, schema as z.ZodType, value).success).toBe(true)
  expect(parseFor(8, schema as z.ZodType, value).success).toBe(false)
  expect(parseFor(null, schema as z.ZodType, value).success).toBe(false)
  expect((schema as z.ZodType).safeParse(value).success).toBe(false)
})

test('a fault of a check has its place and its code', () => {
  const schema = z.strictObject({ hosts: z.array(own), other: z.string() })
  const { error } = parseFor(7, schema, { hosts: ['host7', 'host8'] })
  expect(error?.issues.map(({ path, code }) => [path.join('.'), code])).toEqual([
    ['hosts.1', 'custom'],
    ['other', 'invalid_type'],
  ])
})
