import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { AppError } from '../../lib/errors/index.ts'
import { COMMAND_LINE, type Writer } from '../audit/index.ts'
import { createTestImports, type TestImports } from './testing/site.ts'

let site: TestImports
beforeEach(async () => {
  site = await createTestImports()
})
afterEach(() => site.close())

const workspace = { no: 1, id: 'wsp_1', language: null, plan: {} }
const caller = { workspace, actor: COMMAND_LINE } as unknown as Writer

const csv = (...slugs: string[]) =>
  ['Long URL,Slug', ...slugs.map((slug) => `https://example.com/${slug},${slug}`), ''].join('\n')
const start = (id: string) => site.send('POST', `/api/v1/imports/${id}/start`)
const codeOf = async (answer: Promise<Response>) => {
  const { error } = (await (await answer).json()) as { error: { code: string } }
  return error.code
}
const files = async () => {
  const rows = await site.storage.read.db
    .selectFrom('import_chunks')
    .select('upload')
    .distinct()
    .execute()
  return rows.length
}

describe('a checked file', () => {
  const check = async (text: string, query = '') =>
    site.finished(await site.upload(text, 'csv', `dry_run=true${query}`))

  test('is imported once, without being sent again, with the options of the check', async () => {
    await site.finished(await site.upload(csv('taken')))
    const checked = await check(csv('taken', 'new'), '&on_conflict=rename&file_name=spring.csv')
    expect(checked).toMatchObject({ name: 'spring.csv', result: { created: 2 } })
    await site.imports.purge()
    const done = await site.finished(await start(checked.id))
    expect(done).toMatchObject({ type: 'imports.file', name: 'spring.csv', result: { created: 2 } })
    expect((await site.links.list()).pagination.total).toBe(3)
    const { result } = await site.get<typeof done>(`/api/v1/jobs/${checked.id}`)
    expect(result).toMatchObject({ created: 2, import_id: done.id })
    expect(await codeOf(start(checked.id))).toBe('IMPORT_FILE_GONE')
    await site.imports.purge()
    expect(await files()).toBe(0)
    const undone = await site.finished(await site.send('POST', `/api/v1/imports/${done.id}/undo`))
    expect(undone.name).toBe('spring.csv')
  })

  test('is kept for a day, and only the last three of a workspace', async () => {
    const ids = []
    for (const slug of ['a', 'b', 'c', 'd']) ids.push((await check(csv(slug))).id)
    await site.imports.purge()
    expect(await files()).toBe(3)
    const [first = '', ...others] = ids
    expect(await codeOf(start(first))).toBe('IMPORT_FILE_GONE')
    site.clock.ms += 23 * 3_600_000
    await site.imports.purge()
    expect((await start(others[0] ?? '')).status).toBe(202)
    site.clock.ms += 2 * 3_600_000
    await site.imports.purge()
    expect(await codeOf(start(others[1] ?? ''))).toBe('IMPORT_FILE_GONE')
  })

  test('must be one: no import, no failed or unknown check', async () => {
    const done = await site.finished(await site.upload(csv('one')))
    expect(await codeOf(start(done.id))).toBe('IMPORT_FILE_GONE')
    expect(await codeOf(start('job_none'))).toBe('IMPORT_NOT_FOUND')
  })

  test('a dry run of the start changes nothing', async () => {
    const { id } = await check(csv('one'))
    const dry = await site.send('POST', `/api/v1/imports/${id}/start?dry_run=true`)
    expect([dry.status, dry.headers.get('Dry-Run')]).toEqual([202, 'true'])
    expect((await start(id)).status).toBe(202)
  })
})

describe('the folder of all links', () => {
  beforeEach(() =>
    site.storage.write(async ({ db }) => {
      for (const id of ['fld_1', 'fld_2']) {
        await db
          .insertInto('folders')
          .values({
            id,
            workspace_no: 1,
            name: id,
            name_key: id,
            access: 'members',
            created_at: 1,
            updated_at: 1,
            version: 1,
          })
          .execute()
      }
    }),
  )

  const foldersOf = async () => {
    const { data } = await site.links.list()
    return data.map(({ slug, folder_id }) => [slug, folder_id]).sort()
  }

  test('is the chosen one, whatever the file says', async () => {
    const text = ['own', 'none']
      .map((slug) => ({ destination_url: `https://example.com/${slug}`, slug }))
      .map((link) =>
        JSON.stringify({ ...link, ...(link.slug === 'own' && { folder_id: 'fld_2' }) }),
      )
      .join('\n')
    await site.finished(await site.upload(text, 'ndjson', 'format=slugline'))
    expect(await foldersOf()).toEqual([
      ['none', null],
      ['own', 'fld_2'],
    ])
    const query = 'format=slugline&on_conflict=update&folder_id=fld_1'
    await site.finished(await site.upload(text, 'ndjson', query))
    expect(await foldersOf()).toEqual([
      ['none', 'fld_1'],
      ['own', 'fld_1'],
    ])
  })

  test('is also a field of a form, whose file has a name', async () => {
    const form = new FormData()
    form.set('folder_id', 'fld_1')
    form.set('file', new File([csv('formed')], 'Frühling 2026.csv', { type: 'text/csv' }))
    const body = new Request('http://localhost', { method: 'POST', body: form })
    const sent = await site.upload(
      new TextDecoder().decode(await body.clone().arrayBuffer()),
      body.headers.get('content-type') ?? '',
    )
    expect((await site.finished(sent)).name).toBe('Frühling 2026.csv')
    expect(await foldersOf()).toEqual([['formed', 'fld_1']])
  })

  test('must exist, and be one that the importer sees, as when one link is created', async () => {
    const answer = await site.upload(csv('a'), 'csv', 'folder_id=fld_none')
    const { error } = (await answer.json()) as { error: { details: object[] } }
    expect([answer.status, error.details]).toEqual([
      422,
      [expect.objectContaining({ field: 'folder_id', code: 'FOLDER_NOT_FOUND' })],
    ])
    expect(await files()).toBe(0)
    const options = { format: 'csv', on_conflict: 'skip', dry_run: false } as const
    const upload = { id: 'upl_1', kind: 'csv', name: null, fields: {}, digest: '' } as const
    const sample = { 'Long URL': 'https://example.com/' }
    const startAs = (hiddenFolders: string[]) =>
      site.storage.write((tx) =>
        site.imports.start(
          tx,
          { ...caller, hiddenFolders },
          { ...upload, sample },
          { ...options, folder_id: 'fld_1' },
        ),
      )
    const refused = await startAs(['fld_1']).catch((error) => error)
    expect(refused).toBeInstanceOf(AppError)
    expect(refused.details).toMatchObject([{ field: 'folder_id', code: 'FOLDER_NOT_FOUND' }])
    expect((await startAs(['fld_2'])).type).toBe('imports.file')
  })

  test('that is gone since the check is refused', async () => {
    const checked = await site.finished(
      await site.upload(csv('a'), 'csv', 'dry_run=true&folder_id=fld_1'),
    )
    await site.storage.write(({ db }) =>
      db.deleteFrom('folders').where('id', '=', 'fld_1').execute(),
    )
    expect((await start(checked.id)).status).toBe(422)
    expect((await site.links.list()).pagination.total).toBe(0)
  })

  test('that goes before the records are written refuses them: no one else sees them', async () => {
    await site.stop()
    const sent = await site.upload(csv('a'), 'csv', 'folder_id=fld_1')
    await site.storage.write(({ db }) =>
      db.deleteFrom('folders').where('id', '=', 'fld_1').execute(),
    )
    await site.restart()
    const done = await site.finished(sent)
    expect(done.result).toMatchObject({ created: 0, refused: 1 })
    const [row] = await site.rows(done.id)
    expect(row?.reasons).toMatchObject([{ field: 'folder_id', code: 'FOLDER_NOT_FOUND' }])
  })
})

test('rows say what is so, not what was chosen already', async () => {
  await site.finished(await site.upload(csv('taken')))
  const single = await site.send('POST', '/api/v1/links', {
    body: { destination_url: 'https://example.com/', slug: 'taken' },
  })
  const advice = ((await single.json()) as { error: { message: string } }).error.message
  for (const how of ['skip', 'rename', 'fail']) {
    const done = await site.finished(await site.upload(csv('taken'), 'csv', `on_conflict=${how}`))
    const [row] = await site.rows(done.id)
    expect(row?.reasons).toMatchObject([{ field: 'slug', code: 'SLUG_TAKEN' }])
    expect(row?.reasons[0]?.message).not.toBe(advice)
  }
})
