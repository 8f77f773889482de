/** Creations of one workspace that share a commit on PostgreSQL: each has its own result. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { COMMAND_LINE } from '../../src/features/audit/index.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { openNode, outcomes, type TestNode } from './nodes.ts'

describe.skipIf(postgresMissing !== undefined)(
  `creations on PostgreSQL${postgresMissing === undefined ? '' : ` (${postgresMissing})`}`,
  () => {
    let node: TestNode
    beforeAll(async () => {
      node = await openNode(await (await sharedPostgres()).createDatabase())
    })
    afterAll(() => node?.storage.close())

    async function newWorkspace(name: string): Promise<number> {
      const { no } = await node.storage.write((tx) =>
        node.workspaces.create(tx, { name, planId: 'unlimited' }, COMMAND_LINE),
      )
      return no
    }
    async function factsOf(no: number) {
      return node.storage.read.db
        .selectFrom('workspaces')
        .select(['links_count', 'links_made', 'audit_made'])
        .where('no', '=', no)
        .executeTakeFirstOrThrow()
    }

    test('concurrent conflicting links have the same result as sequential ones', async () => {
      const other = await newWorkspace('Other')
      await node.create(other, { slug: { slug: 'theirs', key: 'theirs' } })
      const no = await newWorkspace('Own')
      await node.create(no, { external_id: 'e0' })
      const slug = (text: string) => ({ slug: { slug: text, key: text } })
      const { given, refused } = await outcomes(
        [
          slug('a'),
          slug('a'),
          slug('theirs'),
          { external_id: 'e0' },
          { external_id: 'e1', ...slug('b') },
          { external_id: 'e1' },
          // Its external id is in use, so the slug is free for the next one.
          { external_id: 'e0', ...slug('c') },
          slug('c'),
          {},
        ].map((body) => node.create(no, body)),
      )
      expect(refused).toEqual([
        ...['EXTERNAL_ID_TAKEN', 'EXTERNAL_ID_TAKEN', 'EXTERNAL_ID_TAKEN'],
        ...['SLUG_TAKEN', 'SLUG_TAKEN'],
      ])
      expect(given).toHaveLength(4)
      // Refused creations used up neither places nor numbers of the audit log.
      expect(await factsOf(no)).toEqual({ links_count: 5, links_made: 5, audit_made: 6 })
    })

    test('reach the plan’s limit exactly', async () => {
      const no = await newWorkspace('Small')
      const { given, refused } = await outcomes(
        Array.from({ length: 12 }, () => node.create(no, {}, 5)),
      )
      expect(given).toHaveLength(5)
      expect(refused).toEqual(Array.from({ length: 7 }, () => 'LINKS_LIMIT'))
      expect(await factsOf(no)).toMatchObject({ links_count: 5, links_made: 5 })
    })

    test('a slug held for the workspace is given to one of them', async () => {
      const no = await newWorkspace('Again')
      const body = { slug: { slug: 'mine', key: 'mine' } }
      const { id } = await node.create(no, body)
      const caller = { workspace: { no }, actor: COMMAND_LINE } as never
      await node.storage.write((tx) => node.links.remove(tx, caller, id, () => true), {
        workspaceNo: no,
      })
      const { given, refused } = await outcomes([1, 2, 3].map(() => node.create(no, body)))
      expect([given.length, refused]).toEqual([1, ['SLUG_TAKEN', 'SLUG_TAKEN']])
    })

    test('texts are stored without characters that PostgreSQL doesn’t support', async () => {
      const no = await newWorkspace('Texts')
      const titles = ['a\0b', 'half \ud800 of a pair', '\\u0000 written out', '"\\']
      const made = await Promise.all(titles.map((title) => node.create(no, { title })))
      const rows = await node.storage.read.db
        .selectFrom('links')
        .select(['id', 'title'])
        .where('workspace_no', '=', no)
        .execute()
      const kept = made.map(({ id }) => rows.find((row) => row.id === id)?.title)
      expect(kept).toEqual(['a\uFFFDb', 'half \uFFFD of a pair', '\\u0000 written out', '"\\'])
    })
  },
)
