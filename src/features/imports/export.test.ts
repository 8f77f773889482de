import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { testDialect } from '../../platform/storage/testing/database.ts'
import { registerLinkExportRoutes } from '../links/export-routes.ts'
import type { Link } from '../links/index.ts'
import { createTestImports, type TestImports } from './testing/site.ts'

let site: TestImports
beforeAll(async () => {
  site = await createTestImports()
  registerLinkExportRoutes(site.api, { links: site.links.service, clock: site.clock })
})
afterAll(() => site.close())

/** Texts that are special in spreadsheets, CSV or JSON. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll(/\p{C}/gu, '')),
  fc.constantFrom(
    '',
    '=1+1',
    '-2',
    "'quoted",
    '"',
    'a,b',
    'a;b',
    'true',
    'null',
    '12',
    '[1]',
    ' x ',
  ),
)
const title = fc.option(text, { nil: null })
const notes = fc.option(
  fc.array(text, { maxLength: 3 }).map((lines) => lines.join('\n')),
  { nil: null },
)
const word = fc.stringMatching(/^[a-z0-9]{1,12}$/)
const body = fc.record(
  {
    title,
    notes,
    tags: fc.uniqueArray(word, { maxLength: 4 }),
    external_id: fc.option(fc.uuid(), { nil: null }),
    enabled: fc.boolean(),
    archived: fc.boolean(),
    redirect_status: fc.constantFrom(301, 302, 307, 308),
    forward_query: fc.boolean(),
    expires_at: fc.option(fc.constantFrom('2031-01-31T21:00:00.000Z'), { nil: null }),
    max_clicks: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: null }),
    imported_clicks: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { nil: undefined }),
    fallback_url: fc.option(fc.webUrl({ validSchemes: ['https'] }), { nil: null }),
  },
  { requiredKeys: [] },
)

/** The fields that a link and its copy share. */
function comparable({ id, version, created_by, created_at, updated_at, ...link }: Link) {
  return link
}

test.each(['ndjson', 'csv'])(
  'what was exported as %s imports again to equal links',
  async (format) => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 6 }), async (bodies) => {
        run++
        const made: Link[] = []
        for (const [i, { imported_clicks, ...each }] of bodies.entries()) {
          const link = await site.links.create({
            destination_url: `https://example.org/${i}?utm_source=a%20b&x=1`,
            slug: `${format}-${run}-${i}`,
            aliases: [`${format}-${run}-${i}-too`],
            ...each,
          })
          made.push({ ...link, clicks: { ...link.clicks, imported: imported_clicks ?? 0 } })
          if (imported_clicks === undefined) continue
          // Only an import can set them.
          await site.storage.write(({ db }) =>
            db.updateTable('links').set({ imported_clicks }).where('id', '=', link.id).execute(),
          )
        }
        const imported = made.reduce((sum, { clicks }) => sum + clicks.imported, 0)
        const query = `archived=any&search=${format}-${run}-`
        const file = await (await site.send('GET', `/api/v1/links.${format}?${query}`)).text()
        for (const { id } of made) await site.links.remove(id)
        const done = await site.finished(await site.upload(file, format))
        expect(done.result).toEqual({
          created: made.length,
          updated: 0,
          skipped: 0,
          refused: 0,
          ...(imported > 0 && { imported_clicks: imported }),
        })
        const { data } = await site.links.list({ archived: 'any', search: `${format}-${run}-` })
        const bySlug = (links: Link[]) =>
          links.map(comparable).sort((a, b) => (a.slug < b.slug ? -1 : 1))
        expect(bySlug(data)).toEqual(bySlug(made))
        for (const { id } of data) await site.links.remove(id)
      }),
      { numRuns: testDialect === 'sqlite' ? 25 : 8 },
    )
  },
)

test('an unknown folder is ignored, with a warning in the row', async () => {
  const link = { destination_url: 'https://example.org/', slug: 'filed', redirect_status: 302 }
  const file = JSON.stringify({ ...link, folder_id: 'fld_elsewhere' })
  for (const query of ['dry_run=true', '']) {
    const done = await site.finished(await site.upload(file, 'ndjson', query))
    expect(done.result).toMatchObject({ created: 1, refused: 0 })
    const [row] = await site.rows(done.id)
    expect(row?.reasons.map(({ field, code }) => [field, code])).toEqual([
      ['folder_id', 'FOLDER_NOT_FOUND'],
    ])
  }
})

test('a protected link is refused without its password', async () => {
  const link = await site.links.create({
    destination_url: 'https://example.org/',
    slug: 'secret',
    password: 'open sesame',
  })
  for (const format of ['csv', 'ndjson']) {
    const file = await (await site.send('GET', `/api/v1/links.${format}?search=secret`)).text()
    const done = await site.finished(await site.upload(file, format, 'on_conflict=rename'))
    const [row] = await site.rows(done.id)
    expect(row?.reasons.map(({ code }) => code)).toEqual(['PASSWORD_NOT_INCLUDED'])
  }
  await site.links.remove(link.id)
})
