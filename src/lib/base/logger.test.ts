import { describe, expect, test } from 'bun:test'
import { createLogger, type LoggerOptions } from './logger.ts'

async function logging(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const logger = await createLogger({
    level: 'info',
    format: 'json',
    destination: { write: (line) => lines.push(line) },
    ...options,
  })
  return { logger, lines, first: () => JSON.parse(lines[0] as string) }
}

describe('the logger', () => {
  test('writes one JSON object a line, with level, time, fields and message', async () => {
    const { logger, lines, first } = await logging()
    logger.warn({ status: 503, request_id: 'req_1' }, 'slow')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.endsWith('\n')).toBe(true)
    expect(first()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      status: 503,
      request_id: 'req_1',
      message: 'slow',
    })
  })

  test('leaves out messages below its level', async () => {
    const { logger, lines } = await logging({ level: 'error' })
    logger.debug({}, 'a')
    logger.info({}, 'b')
    logger.warn({}, 'c')
    logger.error({}, 'd')
    expect(lines).toHaveLength(1)
    const silent = await logging({ level: 'silent' })
    silent.logger.error({}, 'e')
    expect(silent.lines).toEqual([])
  })

  test('writes errors with their stack, including causes', async () => {
    const { logger, first } = await logging()
    logger.error({ err: new Error('outer', { cause: new TypeError('inner') }) }, 'failed')
    expect(first().err.message).toContain('outer')
    expect(first().err.stack).toContain('inner')
  })

  test('redacts secrets by name, at any depth, and API keys inside texts', async () => {
    const { logger, lines } = await logging()
    const key = `slug_abcdEFGH_${'x'.repeat(32)}`
    logger.info(
      {
        authorization: 'hidden-1',
        headers: new Headers({ cookie: 'hidden-2', accept: 'text/html' }),
        request: { list: [{ Password: 'hidden-3' }], api_key: 'hidden-4', key_id: 'key_1' },
        note: `sent ${key} twice`,
      },
      'hello',
    )
    expect(lines[0]).not.toMatch(/hidden|xxxx/)
    expect(lines[0]).toContain('slug_abcdEFGH_')
    expect(lines[0]).toContain('text/html')
    expect(lines[0]).toContain('key_1')
  })

  test('leaves out what could not be parsed, such as an address with a token', async () => {
    const { logger, lines } = await logging()
    for (const parse of [() => new URL('/shared/hidden'), () => new URL('//', 'hidden:hidden')]) {
      try {
        parse()
      } catch (err) {
        logger.error({ err }, 'failed')
      }
    }
    expect(lines).toHaveLength(2)
    expect(lines.join()).not.toContain('hidden')
  })

  test('survives circular objects', async () => {
    const { logger, lines } = await logging()
    const knot: Record<string, unknown> = {}
    knot.knot = knot
    logger.info({ knot }, 'tied')
    expect(lines).toHaveLength(1)
  })

  test('writes one line of text for people', async () => {
    const { logger, lines } = await logging({ format: 'text' })
    logger.info({ status: 200 }, 'answered')
    expect(lines).toHaveLength(1)
    expect(lines[0]?.trimEnd()).not.toContain('\n')
    expect(lines[0]).toContain('answered')
    expect(lines[0]).toContain('200')
    expect(lines[0]).not.toContain('\u001b[')
  })
})
