import { expect } from 'bun:test'
import type { TestLinks } from './links.ts'

/** The slug's data that the redirect reads. */
export async function slugRow({ storage }: TestLinks, key: string, domainNo = 0) {
  const [row] = await storage.read.db
    .selectFrom('slugs')
    .selectAll()
    .where('slug_key', '=', key)
    .where('domain_no', '=', domainNo)
    .execute()
  return row
}

/** Checks all tables about links for consistency. */
export async function expectConsistent({ storage }: TestLinks): Promise<void> {
  const { db } = storage.read
  const rows = await db.selectFrom('links').selectAll().execute()
  const slugs = await db.selectFrom('slugs').selectAll().where('link_seq', 'is not', null).execute()
  const expected = rows.flatMap((row) => {
    const aliases = (JSON.parse(row.aliases) as string[]).map((alias) => {
      const [slug, no] = alias.split(':').reverse()
      return `${row.seq} ${no ?? row.domain_no}/${slug}`
    })
    return [`${row.seq} ${row.domain_no}/${row.slug}`, ...aliases]
  })
  expect(slugs.map((row) => `${row.link_seq} ${row.domain_no}/${row.slug}`).sort()).toEqual(
    expected.sort(),
  )
  for (const slug of slugs) {
    const row = rows.find(({ seq }) => seq === slug.link_seq)
    expect([slug.target_url, slug.redirect_status]).toEqual([
      row?.target_url ?? '',
      row?.redirect_status ?? 0,
    ])
  }
  const counts = await db.selectFrom('workspaces').select(['no', 'links_count']).execute()
  for (const { no, links_count } of counts) {
    expect(links_count).toBe(rows.filter((row) => row.workspace_no === no).length)
  }
  const tags = await db.selectFrom('link_tags').selectAll().execute()
  expect(tags.map(({ link_seq, tag_no }) => `${link_seq} ${tag_no}`).sort()).toEqual(
    rows
      .flatMap((row) => (JSON.parse(row.tag_nos) as number[]).map((no) => `${row.seq} ${no}`))
      .sort(),
  )
}
