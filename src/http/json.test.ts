import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJsonObject } from './json.ts'

describe('parseJsonObject', () => {
  const encode = (text: string) => new TextEncoder().encode(text)

  /** What is wrong with a text; undefined: nothing. */
  async function faultOf(text: string | Uint8Array) {
    try {
      await parseJsonObject(typeof text === 'string' ? encode(text) : text)
      return undefined
    } catch (error) {
      expect(error).toMatchObject({ code: 'INVALID_JSON' })
      return (error as { details: Record<string, unknown>[] }).details[0]
    }
  }

  test('parses everything that JSON.stringify makes of an object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        async (value) => {
          const text = JSON.stringify(value)
          const fault = await faultOf(text)
          if (fault === undefined)
            expect(JSON.stringify(await parseJsonObject(encode(text)))).toBe(text)
          else expect(['INVALID_CHARACTERS', 'TOO_DEEP']).toContain(fault.code as string)
        },
      ),
    )
  })

  test('refuses what JSON.parse refuses, with the position', async () => {
    const edit = fc.tuple(fc.nat(), fc.constantFrom('', '"', '{', ']', ',', ':', '\\', '0', 'x'))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        edit,
        async (value, [at, put]) => {
          const whole = JSON.stringify(value, null, 1)
          const i = at % whole.length
          const text = whole.slice(0, i) + put + whole.slice(i + 1)
          let isJson = true
          try {
            JSON.parse(text)
          } catch {
            isJson = false
          }
          const code = (await faultOf(text))?.code
          // A duplicate member may come before the syntax error.
          if (code !== 'DUPLICATE_KEY') expect(code === 'JSON_SYNTAX').toBe(!isJson)
        },
      ),
    )
    expect(await faultOf('{\n "a": 1,\n "😀": tru }')).toEqual({
      field: '',
      code: 'JSON_SYNTAX',
      params: { line: 3, column: 7 },
    })
    expect(await faultOf('')).toMatchObject({ code: 'JSON_SYNTAX', params: { line: 1, column: 1 } })
    expect(await faultOf('[1]')).toMatchObject({
      code: 'INVALID_TYPE',
      params: { expected: 'object' },
    })
    expect(await faultOf(new Uint8Array([0x7b, 0xff]))).toMatchObject({ code: 'INVALID_ENCODING' })
  })

  test('names a duplicate member at any depth', async () => {
    const name = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1 }), fc.nat(), async (names, pick) => {
        const unique = [...new Set(names)]
        const twin = unique[pick % unique.length] as string
        const members = unique.map((key) => `${JSON.stringify(key)}:"a:\\"b"`)
        expect(await faultOf(`{"o":[{${members.join()}}]}`)).toBeUndefined()
        const twice = `{"o":[{${[...members, `${JSON.stringify(twin)}:1`].join()}}]}`
        expect(await faultOf(twice)).toMatchObject({ field: `o[0].${twin}`, code: 'DUPLICATE_KEY' })
      }),
    )
  })

  test('parses what JSON.parse does to the same values, long texts too', async () => {
    const values = [
      -0,
      1e300,
      1.5e-7,
      123456789012345680000,
      true,
      false,
      null,
      '',
      'a"\\\u2028',
      [],
    ]
    const many = Array.from({ length: 3_000 }, (_, n) => ({ [`${n}`]: values, ['__proto__']: n }))
    for (const value of [{ values }, { many }, JSON.parse('{"__proto__":{"a":1},"2":1,"1":2}')]) {
      const text = JSON.stringify(value, null, 1)
      const parsed = await parseJsonObject(encode(text))
      expect(Bun.deepEquals(parsed, JSON.parse(text), true)).toBe(true)
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)))
    }
    expect(await faultOf(`{"a":[${'1,'.repeat(200_000)}x]}`)).toEqual({
      field: '',
      code: 'JSON_SYNTAX',
      params: { line: 1, column: 400_007 },
    })
  })

  test('lets the event loop turn while it parses a long text', async () => {
    let turns = 0
    const text = `{"a":[${'"\\n",'.repeat(500_000)}1]}`
    const parsing = parseJsonObject(encode(text)).then(() => -1)
    const turn = () => new Promise<number>((done) => setImmediate(() => done(++turns)))
    while ((await Promise.race([parsing, turn()])) > 0);
    expect(turns).toBeGreaterThan(20)
  })

  test('refuses an object with more than 20,000 members', async () => {
    const members = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":0`).join()
    expect(await faultOf(`{"a":{${members(20_000)}}}`)).toBeUndefined()
    expect(await faultOf(`{"a":{${members(20_001)}}}`)).toEqual({
      field: 'a',
      code: 'TOO_MANY',
      params: { max: 20_000 },
    })
  })
})
