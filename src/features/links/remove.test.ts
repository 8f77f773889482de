import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createTestLinks, refusal, type TestLinks } from './testing/links.ts'
import { expectConsistent, slugRow } from './testing/tables.ts'

const URL_A = 'https://a.example/'

let links: TestLinks
beforeEach(async () => {
  links = await createTestLinks()
})
afterEach(() => links.close())

const DAY_MS = 86_400_000

describe('deleting', () => {
  test('removes everything but holds the slugs', async () => {
    const { id } = await links.create({
      destination_url: URL_A,
      slug: 'gone',
      aliases: ['gone2', 'go.example/gone3'],
      tags: ['t'],
      title: 'findable',
    })
    expect(await refusal(links.remove(id, { version: 9 }))).toEqual(['PRECONDITION_FAILED'])
    await links.remove(id, { version: 1 })
    await expectConsistent(links)
    for (const [key, no] of [
      ['gone', 0],
      ['gone2', 0],
      ['gone3', 1],
    ] as const) {
      expect(await slugRow(links, key, no)).toMatchObject({ link_seq: null, target_url: null })
    }
    expect(await refusal(links.remove(id))).toEqual(['LINK_NOT_FOUND'])
    expect((await links.list({ search: 'findable' })).pagination.total).toBe(0)
    expect((await links.list()).pagination.total).toBe(0)
    await links.create({ destination_url: URL_A, slug: 'GONE' })
    await expectConsistent(links)
  })

  test('is published, and again when the link is purged', async () => {
    const notices: unknown[] = []
    const telling = await createTestLinks({
      changed: () => notices.push('changed'),
      countersOutdated: (seq) => notices.push(seq),
    })
    const { id } = await telling.create({ destination_url: URL_A })
    await telling.remove(id)
    expect(notices).toEqual(['changed', 'changed'])
    // It can be restored for seven days: only then its clicks are deleted.
    telling.clock.ms += 7 * DAY_MS - 1
    expect(await telling.service.purgeDeleted()).toBe(0)
    telling.clock.ms += 1
    expect(await telling.service.purgeDeleted()).toBe(1)
    expect(notices).toEqual(['changed', 'changed', 2 ** 32 + 1])
    await telling.close()
  })
})

describe('blocking', () => {
  test('covers the link and all its slugs, and can be removed', async () => {
    const { id, slug } = await links.create({
      destination_url: URL_A,
      slug: 'Bad',
      aliases: ['b2'],
    })
    for (const [name, blocked] of [
      ['bad', true],
      ['s.example/B2', false],
      [id, true],
    ] as const) {
      await links.setBlocked(name, blocked)
      const block_id = blocked ? expect.stringMatching(/^blk_/) : null
      expect(await slugRow(links, 'b2')).toMatchObject({ block_id })
      expect(await slugRow(links, slug.toLowerCase())).toMatchObject({ block_id })
    }
    expect((await links.list({ status: 'blocked' })).data).toMatchObject([{ id, version: 4 }])
    // The owner's changes don't remove it.
    expect(await links.patch(id, { title: 'x' })).toMatchObject({ status: 'blocked' })
    expect(await slugRow(links, 'b2')).toMatchObject({ block_id: expect.stringMatching(/^blk_/) })
    for (const [name, outcome] of [
      ['bad', 'ALREADY_BLOCKED'],
      ['nowhere.example/bad', 'VALIDATION_FAILED'],
      ['lnk_x', 'LINK_NOT_FOUND'],
    ] as const) {
      expect(await links.setBlocked(name, true)).toBe(outcome)
    }
  })
})
