/** The feed of events on several nodes: numbered without a gap, and readable in that order. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { COMMAND_LINE, recordChange } from '../../src/features/audit/index.ts'
import { createEventService } from '../../src/features/events/service.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { openNode, type TestNode } from './nodes.ts'

const here = postgresMissing === undefined
const NODES = 3
const clock = { now: () => Date.now() }

let nodes: TestNode[] = []
beforeAll(async () => {
  if (!here) return
  const url = await (await sharedPostgres()).createDatabase()
  for (let i = 0; i < NODES; i++) nodes.push(await openNode(url))
})
afterAll(async () => {
  await Promise.all(nodes.map(({ storage }) => storage.close()))
  nodes = []
})

/** A transaction: on a node, in a workspace's queue or not, which records events and may fail. */
const writes = fc.array(
  fc.record({
    node: fc.nat(NODES - 1),
    isQueued: fc.boolean(),
    entries: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
    pauseMs: fc.nat(3),
    fails: fc.boolean(),
  }),
  { minLength: 20, maxLength: 60 },
)

describe.skipIf(!here)('the feed of events, on several nodes', () => {
  test('has every committed event once, and none before those before it', async () => {
    const [first] = nodes as [TestNode]
    await fc.assert(
      fc.asyncProperty(writes, async (all) => {
        const workspace = await first.storage.write((tx) =>
          first.workspaces.create(tx, { name: 'Feed' }, COMMAND_LINE),
        )
        const reader = { workspace }
        let committed = 0
        let isOver = false
        const write = (one: (typeof all)[number]) => {
          const { storage } = nodes[one.node] as TestNode
          const options = one.isQueued ? { workspaceNo: workspace.no } : {}
          return storage
            .write(async (tx) => {
              for (const isEvent of one.entries) {
                await recordChange(tx, COMMAND_LINE, {
                  workspaceNo: workspace.no,
                  at: clock.now(),
                  action: isEvent ? 'tag.created' : 'clicks.exported',
                  target: isEvent
                    ? { type: 'tag', id: 'tag_1', label: 'a' }
                    : { type: 'clicks', id: 'a.csv', label: 'a.csv' },
                  ...(isEvent && { object: { id: 'tag_1' } }),
                })
              }
              if (one.pauseMs > 0) await Bun.sleep(one.pauseMs)
              if (one.fails) throw new Error('undone')
              return one.entries.filter(Boolean).length
            }, options)
            .then(
              (events) => {
                committed += events
              },
              () => {},
            )
        }
        /** Reads on a node while the others write. A sequence that is missing would never come. */
        const follow = async (node: TestNode) => {
          const events = createEventService({ storage: node.storage, clock })
          const seen: number[] = []
          for (let position = 0, wasOver = false; ; ) {
            const page = await events.page(reader, position, { limit: 7 })
            seen.push(...page.events.map(({ sequence }) => sequence))
            position = page.position
            if (wasOver && !page.hasMore) return seen
            wasOver = isOver && !page.hasMore
          }
        }
        const following = nodes.map(follow)
        await Promise.all(all.map(write))
        isOver = true
        const expected = Array.from({ length: committed }, (_, i) => i + 1)
        for (const seen of await Promise.all(following)) expect(seen).toEqual(expected)
      }),
      { numRuns: 12 },
    )
  })
})
