import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { startSlugline } from '../harness/process.ts'

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
/** In how many steps the space for a backup grows. */
const PARTS = 6
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

test.skipIf(!canMount)(
  'a backup that doesn’t fit is refused with a sentence, wherever the disk gets full, and leaves nothing (needs root)',
  async () => {
    const slugline = await startSlugline({ LOG_LEVEL: 'silent' })
    mount()
    const place = join(mountPoint, 'backup')
    const filler = join(mountPoint, 'filler')
    const backUp = () => slugline.cli('backup', place, '--json')
    try {
      const { key } = await slugline.createKey()
      const body = { destination_url: 'https://example.com/', slug: 'backed-up' }
      expect((await slugline.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
      const visit = await slugline.call('GET', '/backed-up', { headers: BROWSER })
      expect(visit.status).toBe(302)
      await eventually('the click is in the statistics', async () => {
        const answer = await slugline.call('GET', '/api/v1/stats', { key })
        if (answer.status !== 200) return undefined
        const stats = (await answer.json()) as { totals: { clicks: number } }
        return stats.totals.clicks === 1 ? true : undefined
      })
      const { bytes } = JSON.parse((await backUp()).stdout) as { bytes: number }
      rmSync(place, { recursive: true })
      fill(filler)
      const all = statSync(filler).size
      for (let part = 0; part < PARTS; part++) {
        truncateSync(filler, all - Math.floor((bytes * part) / PARTS))
        const { status, stderr } = await backUp()
        const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
        expect([part, status, error.code]).toEqual([part, 1, 'STORAGE_UNAVAILABLE'])
        expect(error.message).not.toContain('\n')
        expect(readdirSync(mountPoint)).toEqual(['filler'])
      }
      unlinkSync(filler)
      expect((await backUp()).status).toBe(0)
    } finally {
      await slugline.dispose()
      unmount()
    }
  },
  240_000,
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
