import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { startSlugline } from '../harness/process.ts'

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
const mountPoint = mkdtempSync(join(tmpdir(), 'slugline-disk-'))
const mount = () =>
  process.getuid?.() === 0 &&
  Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', mountPoint]).exitCode === 0
const unmount = () => Bun.spawnSync(['umount', '-l', mountPoint])
const canMount = mount()
if (canMount) unmount()

afterAll(() => rmSync(mountPoint, { recursive: true, force: true }))

test.skipIf(!canMount).each([
  // No file can be created; the journal can't be written; or only that.
  { instance: 'new', left: 0 },
  { instance: 'used', left: 0 },
  { instance: 'used', left: 65_536 },
])(
  'a full disk: redirects go on, writes answer 503, health says so, and all heals; $instance, $left bytes left (needs root)',
  async ({ instance, left }) => {
    mount()
    const slugline = await startSlugline({ LOG_LEVEL: 'silent' }, { dataDir: mountPoint })
    const filler = join(mountPoint, 'filler')
    try {
      const { key } = await slugline.createKey()
      const create = (slug: string) =>
        slugline.call('POST', '/api/v1/links', {
          key,
          body: { destination_url: 'https://example.com/', slug },
        })
      const created = await create('before')
      expect(created.status).toBe(201)
      const { id } = (await created.json()) as { id: string }
      const visit = async () => (await slugline.call('GET', '/before', { headers: BROWSER })).status
      const inStatistics = () =>
        eventually('every click is in the statistics', async () => {
          const answer = await slugline.call('GET', '/api/v1/stats', { key })
          if (answer.status !== 200) return undefined
          const stats = (await answer.json()) as { totals: { clicks: number } }
          return stats.totals.clicks === visits ? true : undefined
        })
      let visits = 0
      if (instance === 'used') {
        for (; visits < 20; visits++) expect(await visit()).toBe(302)
        await inStatistics()
      }

      fill(filler)
      let refusal: Response | undefined
      for (let i = 0; refusal === undefined && i < 2000; i++) {
        const answer = await create(`full-${i}`)
        if (answer.status !== 201) refusal = answer
      }
      expect(refusal?.status).toBe(503)
      expect(Number(refusal?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(
        ((await refusal?.json()) as { error?: { code: string } } | undefined)?.error?.code,
      ).toBe('SERVICE_UNAVAILABLE')
      truncateSync(filler, statSync(filler).size - left)
      for (; visits < 300; visits++) expect(await visit()).toBe(302)
      await eventually('it is told', async () => {
        const answer = await slugline.call('GET', '/readyz')
        if (answer.status !== 503) return undefined
        const { checks } = (await answer.json()) as { checks: { name: string; reason?: string }[] }
        const reasonOf = (check: string) => checks.find(({ name }) => name === check)?.reason
        const isTold =
          instance === 'used' && left === 0
            ? reasonOf('journal') === 'not_writable'
            : reasonOf('statistics') === 'full'
        return isTold ? true : undefined
      })
      expect((await slugline.call('GET', '/livez')).status).toBe(200)

      unlinkSync(filler)
      await eventually('ready again', async () =>
        (await slugline.call('GET', '/readyz')).status === 200 ? true : undefined,
      )
      expect((await create('after')).status).toBe(201)
      await eventually('every click is counted', async () => {
        const answer = await slugline.call('GET', `/api/v1/links/${id}`, { key })
        const { clicks } = (await answer.json()) as { clicks: { total: number } }
        return clicks.total === visits ? true : undefined
      })
      await inStatistics()
      await slugline.stop()
      for (const file of ['slugline.db', 'counters.db']) {
        const db = new Database(join(mountPoint, file), { readonly: true })
        expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
        db.close()
      }
    } finally {
      await slugline.stop()
      unmount()
    }
  },
)

/** Uses up all space, down to the last block. */
function fill(path: string): void {
  for (let size = 1 << 20; size >= 512; size /= 2) {
    try {
      for (;;) appendFileSync(path, new Uint8Array(size))
    } catch {
      // Full for chunks of this size: smaller ones follow.
    }
  }
}
