import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { createParquetFile } from './parquet-file.ts'
import { readStruct, type ThriftStruct, type ThriftValue, writeStruct } from './thrift.ts'

const directory = mkdtempSync(join(tmpdir(), 'slugline-parquet-'))
let instance: DuckDBInstance
let connection: DuckDBConnection

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  connection = await instance.connect()
})
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
  rmSync(directory, { recursive: true, force: true })
})

const COLUMNS = `i::VARCHAR AS id, make_timestamp(i * 1000) AS came,
  if(i % 3 = 0, NULL, 'v' || i % 5) AS rare, NULL::VARCHAR AS never, i % 2 = 0 AS flag`

/** A file with some thousand rows a group. */
async function part(from: number, to: number): Promise<Uint8Array> {
  const file = join(directory, 'part.parquet')
  await connection.run(`COPY (SELECT ${COLUMNS} FROM range(${from}, ${to}) AS r (i))
    TO '${file}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)`)
  return await Bun.file(file).bytes()
}

async function rows(sql: string): Promise<unknown[][]> {
  return (await connection.runAndReadAll(sql)).getRows()
}

async function joined(cuts: readonly number[]): Promise<string> {
  const whole = createParquetFile()
  const parts: Uint8Array[] = []
  for (const [i, to] of cuts.slice(1).entries()) {
    parts.push(whole.add(await part(cuts[i] as number, to)).slice())
  }
  parts.push(whole.end())
  const file = join(directory, 'whole.parquet')
  await Bun.write(file, new Blob(parts as Uint8Array<ArrayBuffer>[]))
  return file
}

test.each([[[0, 0]], [[0, 1]], [[0, 5_000]], [[0, 0, 3_000, 3_001, 9_000, 9_000]]])(
  'parts %j are one file with all rows in their order',
  async (cuts) => {
    const end = cuts.at(-1) as number
    const file = await joined(cuts)
    expect(await rows(`SELECT * FROM read_parquet('${file}')`)).toEqual(
      await rows(`SELECT ${COLUMNS} FROM range(0, ${end}) AS r (i)`),
    )
    const [meta] = await rows(`SELECT num_rows FROM parquet_file_metadata('${file}')`)
    expect(meta).toEqual([BigInt(end)])
  },
)

test('what is said of groups leads readers to them', async () => {
  const file = await joined([0, 6_000, 12_000])
  // By the groups' bounds, by the filters of values, and with both.
  const where = "id = '7777' AND came >= make_timestamp(7777000) AND rare = 'v2'"
  expect(await rows(`SELECT id FROM read_parquet('${file}') WHERE ${where}`)).toEqual([['7777']])
  const probe = await rows(
    `SELECT row_group_id, bloom_filter_excludes FROM parquet_bloom_probe('${file}', 'rare', 'v9')`,
  )
  expect(probe).toHaveLength(6)
  expect(probe.every(([, excludes]) => excludes === true)).toBe(true)
  expect(
    await rows(`SELECT max(row_group_id) FROM parquet_metadata('${file}') WHERE file_offset > 0
      OR data_page_offset > 4`),
  ).toEqual([[5n]])
})

const value: fc.Arbitrary<ThriftValue> = fc.letrec<{ value: ThriftValue; struct: ThriftStruct }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.record({ type: fc.constant('boolean' as const), value: fc.boolean() }),
      fc.record({
        type: fc.constant('integer' as const),
        code: fc.constantFrom(4, 5, 6),
        value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      }),
      fc.record({
        type: fc.constant('bytes' as const),
        code: fc.constant(8),
        value: fc.uint8Array({ maxLength: 300 }),
      }),
      fc.record({
        type: fc.constant('bytes' as const),
        code: fc.constant(7),
        value: fc.uint8Array({ minLength: 8, maxLength: 8 }),
      }),
      fc.record({
        type: fc.constant('list' as const),
        code: fc.constant(9),
        of: fc.constant(12),
        value: fc.array(
          tie('struct').map((it) => ({ type: 'struct' as const, value: it })),
          { maxLength: 20 },
        ),
      }),
      tie('struct').map((it) => ({ type: 'struct' as const, value: it })),
    ),
    struct: fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 300 }), tie('value')), {
        selector: ([id]) => id,
        maxLength: 6,
      })
      .map((fields) => new Map(fields.sort(([a], [b]) => a - b))),
  }),
).value

test('a struct that is written is read as it was', () => {
  fc.assert(
    fc.property(value, (it) => {
      const struct: ThriftStruct = new Map([[1, it]])
      expect(readStruct(writeStruct(struct))).toEqual(struct)
    }),
  )
})

test('what breaks off is no struct', () => {
  const bytes = writeStruct(new Map([[1, { type: 'bytes', code: 8, value: new Uint8Array(9) }]]))
  for (let length = 0; length < bytes.length; length++) {
    expect(() => readStruct(bytes.subarray(0, length))).toThrow(RangeError)
  }
})
