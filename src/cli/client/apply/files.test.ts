import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommandError } from '../../context.ts'
import { type Declared, readDeclared } from './files.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-apply-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function write(text: string, name = 'links.yaml'): string {
  const file = join(dir, name)
  writeFileSync(file, text)
  return file
}

/** `a@3`: the external id and its line. */
const short = (all: readonly Declared[]) =>
  all.map(({ externalId, place }) => `${externalId}@${place.line}`)

/** The code of a refusal, and its details without the directory. */
async function refusal(paths: string[], prefix = ''): Promise<string[]> {
  const error = await readDeclared(paths, prefix).then(
    () => undefined,
    (error: CommandError) => error,
  )
  if (error === undefined) return ['none']
  const told = (error.details ?? []).map(({ field, message }) =>
    `${field} ${message}`.replaceAll(`${dir}/`, ''),
  )
  return [error.code, ...told]
}

describe('the links that files declare', () => {
  test('are in a list, below links, in several documents or in JSON, each with its line', async () => {
    const list = write('- external_id: a\n  title: A\n# a remark\n- title: B\n  external_id: "b"\n')
    expect(short(await readDeclared([list], ''))).toEqual(['a@1', 'b@4'])
    const named = write("links:\n  - { title: 'A', external_id: 'it''s' } # a remark\n")
    expect(short(await readDeclared([named], ''))).toEqual(["it's@2"])
    const documents = write('external_id: a\n---\nlinks:\n  - external_id: b\n---\nlinks:\n')
    expect(short(await readDeclared([documents], ''))).toEqual(['a@1', 'b@4'])
    const json = write(
      '{"links": [\n{"external_id":"a\\u00e9"},\n{"external_id" : "b"}]}',
      'l.json',
    )
    expect(short(await readDeclared([json], ''))).toEqual(['aé@2', 'b@3'])
    expect(await readDeclared([write('# nothing\n')], '')).toEqual([])
  })

  test('have the values as the API takes them', async () => {
    const file = write(`
x-common: &common
  tags: [a, b]
  expires_at: 2030-01-31T21:00:00Z
links:
  - external_id: a
    <<: *common
    enabled: no
    max_clicks: 010
    title: null
`)
    const [first] = await readDeclared([file], '')
    expect(first?.link).toMatchObject({
      external_id: 'a',
      tags: ['a', 'b'],
      expires_at: '2030-01-31T21:00:00Z',
      title: null,
    })
  })

  test('may be in a directory, whose other files are not read', async () => {
    write('- external_id: b', 'b.yml')
    write('[{"external_id":"a"}]', 'a.json')
    write('no link', 'README.md')
    mkdirSync(join(dir, 'inner.yaml'))
    expect(short(await readDeclared([dir], ''))).toEqual(['a@1', 'b@1'])
  })
})

describe('files that can’t be applied', () => {
  test('have ids twice, none, or with another beginning', async () => {
    const one = write(
      '- external_id: web-a\n- external_id: web-b\n- external_id: web-a\n',
      'one.yaml',
    )
    const two = write(
      '- external_id: web-b\n- title: x\n- external_id: 5\n- external_id: we\n- 7\n',
    )
    expect(await refusal([one, two], 'web-')).toEqual([
      'INVALID_FILES',
      'one.yaml:3 web-a is also in one.yaml:1',
      'links.yaml:1 web-b is also in one.yaml:2',
      'links.yaml:2 link 2 has no external_id',
      'links.yaml:3 link 3 needs text as external_id: put it in quotes',
      'links.yaml:4 we does not begin with web-',
      'links.yaml:5 link 5 is not a link',
    ])
  })

  test('have values that JSON has not', async () => {
    const file = write(
      '- {external_id: a, max_clicks: .inf}\n- {external_id: b, max_clicks: .nan}\n',
    )
    expect(await refusal([file])).toEqual([
      'INVALID_FILES',
      'links.yaml:1 a has Infinity, which is no value',
      'links.yaml:2 b has NaN, which is no value',
    ])
  })

  test('have a key twice', async () => {
    const line = async (text: string) =>
      (await refusal([write(text)])).map((each) => each.replace(/ .*/, ''))
    expect(await line('links: []\nlinks: []\n')).toEqual(['FILE_UNREADABLE', 'links.yaml:2'])
    expect(await line('- {external_id: a,\n title: x,\n title: y}')).toEqual([
      ...['FILE_UNREADABLE', 'links.yaml:3'],
    ])
    expect(await line('[{"external_id":"a",\n\t"title":"x",\n\t"title":"y"}]')).toEqual([
      ...['FILE_UNREADABLE', 'links.yaml:3'],
    ])
  })

  test('have something else beside links', async () => {
    const refused = async (text: string) => (await refusal([write(text)]))[0]
    expect(await refused('links: []\nlink: []\n')).toBe('FILE_UNREADABLE')
    expect(await refused('links: {a: 1}\n')).toBe('FILE_UNREADABLE')
    expect(await refusal([write('- external_id: a\n  folder: x\n  folder_id: y\n')])).toEqual([
      ...['INVALID_FILES', 'links.yaml:1 a has both folder and folder_id'],
    ])
  })

  test('are missing, empty directories, no YAML or not UTF-8', async () => {
    expect(await refusal([join(dir, 'none.yaml')])).toEqual(['USAGE'])
    expect(await refusal([dir])).toEqual(['USAGE'])
    expect((await refusal([write('a: 1\nb: [')]))[1]).toStartWith('links.yaml:2 ')
    writeFileSync(join(dir, 'latin.yaml'), Buffer.from('- external_id: caf\xe9', 'latin1'))
    expect(await refusal([join(dir, 'latin.yaml')])).toEqual(['FILE_UNREADABLE'])
  })
})

describe('what is too much is refused before it is sent', () => {
  test('aliases that grow exponentially, or contain themselves', async () => {
    const levels = Array.from({ length: 30 }, (_, i) =>
      i === 0 ? 'x-0: &l0 [lol, lol]' : `x-${i}: &l${i} [*l${i - 1}, *l${i - 1}]`,
    )
    const bomb = write(`${levels.join('\n')}\nlinks:\n  - {external_id: a, rules: *l29}\n`)
    expect(await refusal([bomb])).toEqual(['INVALID_FILES', 'links.yaml:32 a is too large'])
    const cycle = write('- &a\n  external_id: a\n  rules: [*a]\n')
    expect(await refusal([cycle])).toEqual(['INVALID_FILES', 'links.yaml:2 a is nested too deeply'])
    const long = `x-long: &long ${'x'.repeat(10_000)}\n`
    const wide = write(`${long}links:\n  - {external_id: a, rules: [${'*long, '.repeat(50)}]}\n`)
    expect(await refusal([wide])).toEqual(['INVALID_FILES', 'links.yaml:3 a is too large'])
  })

  test('deep nesting', async () => {
    const deep = write(`- {external_id: a, rules: ${'['.repeat(40)}${']'.repeat(40)}}`)
    expect(await refusal([deep])).toEqual(['INVALID_FILES', 'links.yaml:1 a is nested too deeply'])
    const deeper = write(`- ${'['.repeat(1_000_000)}`)
    expect((await refusal([deeper]))[0]).toBe('FILE_UNREADABLE')
  })

  test('links, bytes and files', async () => {
    const many = Array.from({ length: 10_001 }, (_, i) => `- external_id: l${i}`).join('\n')
    expect(await refusal([write(many)])).toEqual(['TOO_MANY_LINKS'])
    expect(await refusal([write(`# ${'x'.repeat(9 * 1024 * 1024)}`)])).toEqual(['USAGE'])
    const names = Array.from({ length: 1_001 }, (_, i) => write('', `${i}.yaml`))
    expect(await refusal(names)).toEqual(['USAGE'])
  })
})
