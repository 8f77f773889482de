import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { AppError } from '../lib/errors/index.ts'
import { DomainConflict } from '../model/domains/index.ts'
import { type Environment, readEnvironment } from '../platform/config/index.ts'
import { databaseFiles, openSqlite } from '../platform/storage/index.ts'
import { type CommandContext, CommandError, createContext } from './context.ts'
import { runProgram } from './program.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-program-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Commands that behave as a test needs it. */
const register = (program: Command, context: CommandContext) => {
  program.command('greet').action(() => context.print('hello', { greeting: 'hello' }))
  program.command('sick').action(() => context.failed())
  program.command('fail').action(() => {
    throw new CommandError('no', 1, 'NO')
  })
  program.command('rows').action(() => {
    const row = { id: 'lnk_1', title: '東京 の夏\n', url: `https://example.com/${'a'.repeat(50)}` }
    const columns = {
      ID: ({ id }: typeof row) => id,
      TITLE: ({ title }: typeof row) => title,
      NOTE: () => '',
      URL: ({ url }: typeof row) => url,
    }
    context.printList([row], 'none', columns)
    const print = context.rowPrinter(columns)
    print({ ...row, title: 'é' })
    print(row)
  })
  program.command('crash').action(() => {
    throw new TypeError('bug')
  })
  program.command('invalid').action(() => {
    throw new AppError('VALIDATION_FAILED', { details: [{ field: 'name', code: 'REQUIRED' }] })
  })
  program.command('limit').action(() => {
    throw new AppError('LINK_NOT_FOUND')
  })
  program.command('damaged').action(() => {
    writeFileSync(join(dir, 'broken.db'), 'not a database '.repeat(100))
    openSqlite(join(dir, 'broken.db'))
  })
  program.command('prepared').action(() => context.withStorage(async () => {}))
  program.command('conflict').action(() => {
    throw new DomainConflict('go.example')
  })
  program.command('port').action(() => context.print(String(context.config.port), {}))
  program
    .command('need')
    .argument('<it>')
    .requiredOption('--this <x>')
    .action(() => {})
  const group = program.command('group')
  group.command('inner').action(() => context.print('in', { inner: true }))
}

async function run(args: string[], variables: Record<string, string> = {}, width?: number) {
  let out = ''
  let err = ''
  const read = (): Environment => readEnvironment({ SLUGLINE_DATA_DIR: dir, ...variables }, false)
  const output = {
    out: (text: string) => {
      out += text
    },
    err: (text: string) => {
      err += text
    },
  }
  const status = await runProgram(args, output, createContext(read, output.out, width), {
    greet: async () => register,
  })
  return { status, out, err }
}

describe('the command line', () => {
  test('prints text by default and JSON with --json, in groups too', async () => {
    expect(await run(['greet'])).toEqual({ status: 0, out: 'hello\n', err: '' })
    expect(await run(['greet', '--json'])).toEqual({
      status: 0,
      out: '{"greeting":"hello"}\n',
      err: '',
    })
    expect((await run(['group', 'inner', '--json'])).out).toBe('{"inner":true}\n')
  })

  test('shows help on stdout when asked, with status 0', async () => {
    for (const args of [
      ['--help'],
      ['help'],
      ['greet', '--help'],
      ['help', 'greet'],
      ['help', 'group', 'inner'],
    ]) {
      const { status, out, err } = await run(args)
      expect([status, err]).toEqual([0, ''])
      expect(out).toContain('Usage:')
    }
    expect((await run(['--version'])).out).toMatch(/^\d+\.\d+\.\d+/)
  })

  test.each([
    [[]],
    [['bogus']],
    [['greet', '--bogus']],
    [['greet', 'surplus']],
    [['group']],
    [['group', 'bogus']],
    [['bogus', '--help']],
    [['group', 'bogus', '-h']],
    [['help', 'bogus']],
  ])('called wrongly (%j): usage on stderr, status 2', async (args) => {
    const { status, out, err } = await run(args)
    expect([status, out]).toEqual([2, ''])
    expect(err).toContain('Usage:')
  })

  test.each([
    [['bogus', '--json'], /bogus/],
    [['greet', '--json', '--bogus'], /--bogus/],
    [['greet', 'surplus', '--json'], /too many/],
    [['need', '--json'], /--this/],
    [['need', '--this', 'x', '--json'], /'it'/],
    [['group', '--json'], /command is missing/],
    [['--json'], /command is missing/],
  ])('called wrongly with --json (%j): nothing but the error in JSON', async (args, message) => {
    const { status, out, err } = await run(args)
    expect([status, out]).toEqual([2, ''])
    expect(JSON.parse(err)).toEqual({
      error: { code: 'USAGE', message: expect.stringMatching(message) },
    })
  })

  test.each([[['gret']], [['gret', '--help']], [['help', 'gret']], [['gret', 'surplus', '-h']]])(
    'a mistyped command (%j): the likely one is named',
    async (args) => {
      expect((await run(args)).err).toMatch(/gret.*\n.*greet/)
      const { error } = JSON.parse((await run([...args, '--json'])).err)
      expect(error.message).toContain('greet')
    },
  )

  test('tables fit the terminal, whatever their letters; elsewhere nothing is cut', async () => {
    const whole = (await run(['rows'])).out.trimEnd().split('\n')
    expect(whole[0]).toMatch(/^ID {5}TITLE {7}NOTE {2}URL$/)
    expect(whole[1]).toMatch(/^lnk_1 {2}東京 の夏\? {2}- {5}https:.*a{50}$/)
    for (const width of [20, 40, 60, 80]) {
      const lines = (await run(['rows'], {}, width)).out.trimEnd().split('\n')
      expect(lines).toHaveLength(5)
      for (const line of lines) {
        expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width)
        expect(line).toMatch(/^(ID |lnk_1 )/)
      }
      expect(lines[1]?.endsWith('…')).toBe(true)
    }
    // Only the widest is cut.
    expect((await run(['rows'], {}, 60)).out).toContain('東京 の夏?  -     https://example.com/aaa')
  })

  test('--json may be anywhere', async () => {
    for (const args of [
      ['--json', 'group', 'inner'],
      ['group', '--json', 'inner'],
    ]) {
      expect((await run(args)).out).toBe('{"inner":true}\n')
    }
  })

  test('a failed command prints the reason on stderr, with status 1', async () => {
    const { status, out, err } = await run(['fail'])
    expect([status, out]).toEqual([1, ''])
    expect(err).toContain('no')
    expect(JSON.parse((await run(['fail', '--json'])).err)).toEqual({
      error: { code: 'NO', message: 'no' },
    })
  })

  test('a result that reports a problem is status 1', async () => {
    expect((await run(['sick'])).status).toBe(1)
  })

  test('errors of services are printed with their code', async () => {
    const invalid = await run(['invalid', '--json'])
    expect(invalid.status).toBe(2)
    expect(JSON.parse(invalid.err).error).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'name', code: 'REQUIRED' }],
    })
    const missing = await run(['limit', '--json'])
    expect([missing.status, JSON.parse(missing.err).error.code]).toEqual([1, 'LINK_NOT_FOUND'])
  })

  test('a damaged database is reported as such, without a stack', async () => {
    const { status, err } = await run(['damaged', '--json'])
    expect([status, JSON.parse(err).error.code]).toEqual([1, 'DATA_DAMAGED'])
    expect(err).not.toContain('connection.ts')
  })

  test('a base URL that was a short domain is a wrong setting', async () => {
    const { status, err } = await run(['conflict', '--json'])
    const { code, message } = JSON.parse(err).error
    expect([status, code]).toEqual([2, 'CONFIGURATION'])
    expect(message).toContain('BASE_URL')
  })

  test('data of a newer version is reported as such', async () => {
    expect((await run(['prepared'])).status).toBe(0)
    const { raw, close } = openSqlite(databaseFiles(dir).main)
    raw.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00Z')")
    close()
    const { status, err } = await run(['prepared', '--json'])
    expect([status, JSON.parse(err).error.code]).toEqual([1, 'DATA_NEWER'])
    expect(err).toContain('9999-later')
  })

  test.each(['main', 'counters'] as const)(
    'data from before the baseline is refused in one sentence (%s)',
    async (database) => {
      expect((await run(['prepared'])).status).toBe(0)
      const { raw, close } = openSqlite(databaseFiles(dir)[database])
      raw.run("UPDATE kysely_migration SET name = '0001-core' WHERE name = '0001-baseline'")
      close()
      const { status, err } = await run(['prepared', '--json'])
      expect([status, JSON.parse(err).error.code]).toEqual([1, 'DATA_OLD'])
    },
  )

  test('without its links an instance is lost, not empty', async () => {
    expect((await run(['prepared'])).status).toBe(0)
    rmSync(databaseFiles(dir).main)
    const { status, err } = await run(['prepared', '--json'])
    expect([status, JSON.parse(err).error.code]).toEqual([1, 'DATA_DAMAGED'])
    expect(existsSync(databaseFiles(dir).main)).toBe(false)
  })

  test('a bug is printed with its stack', async () => {
    const { status, err } = await run(['crash'])
    expect(status).toBe(1)
    expect(err).toContain('program.test.ts')
  })

  test('wrong settings stop a command that needs them, not the help', async () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'loud' }
    const { status, err } = await run(['port'], wrong)
    expect(status).toBe(2)
    expect(err).toContain('PORT')
    expect(err).toContain('LOG_LEVEL')
    expect((await run(['greet', '--help'], wrong)).status).toBe(0)
  })
})

test('a closed pipe is not an error', async () => {
  const main = join(import.meta.dir, 'main.ts')
  const line = `"${process.execPath}" --no-env-file "${main}" --help | true; echo \${PIPESTATUS[0]}`
  const child = Bun.spawn(['bash', '-c', line], { stdout: 'pipe', stderr: 'pipe' })
  const said = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect(said).toEqual(['0\n', ''])
})

describe('withStorage', () => {
  test('creates the data directory, the secret and the tables, and closes everything', async () => {
    const context = createContext(
      () => readEnvironment({ SLUGLINE_DATA_DIR: join(dir, 'new') }, false),
      () => {},
    )
    const counted = () =>
      context.withStorage(async ({ storage, secrets, plans }) => {
        expect(secrets.apiKeys).toHaveLength(32)
        expect(plans.default.id).toBe('free')
        return (await storage.read.db.selectFrom('workspaces').selectAll().execute()).length
      })
    expect(await counted()).toBe(0)
    await context.withStorage(({ storage, ids }) =>
      storage.write(async (tx) => {
        await tx.db
          .insertInto('workspaces')
          .values({
            id: ids.next('ws'),
            name: 'A',
            name_key: 'a',
            plan_id: 'free',
            language: null,
            created_at: 0,
          })
          .execute()
      }),
    )
    expect(await counted()).toBe(1)
  })
})
