import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { openTestStorage } from '../../platform/storage/testing/database.ts'
import { createTestDashboard } from '../audit/testing/dashboard.ts'
import { createRequestCounts } from './requests.ts'

const MINUTE_MS = 60_000

test('the requests of the last sixty minutes are those of all nodes, despite restarts', async () => {
  const request = fc.record({
    waitMs: fc.oneof(fc.nat(MINUTE_MS), fc.nat(80 * MINUTE_MS)),
    workspace: fc.constantFrom(1, 2),
    status: fc.constantFrom(200, 404, 429),
    node: fc.constantFrom(0, 1),
    restart: fc.boolean(),
  })
  const dir = await mkdtemp(join(tmpdir(), 'slugline-usage-'))
  const storage = await openTestStorage(dir)
  await fc.assert(
    fc.asyncProperty(fc.array(request), fc.nat(70 * MINUTE_MS), async (requests, waitMs) => {
      await storage.write(({ db }) => db.deleteFrom('request_minutes').execute())
      const clock = { ms: Date.UTC(2030, 0, 31), now: () => clock.ms }
      const open = () => createRequestCounts({ storage, clock })
      const nodes = [open(), open()]
      const seen: { at: number; workspace: number; status: number }[] = []
      for (const { waitMs, workspace, status, node, restart } of requests) {
        clock.ms += waitMs
        nodes[node]?.note({ workspaceNo: workspace, status })
        seen.push({ at: clock.ms, workspace, status })
        if (!restart) continue
        await nodes[node]?.write()
        nodes[node] = open()
      }
      clock.ms += waitMs
      for (const node of nodes) await node.write()
      await nodes[0]?.purge()
      const last = Math.floor(clock.ms / MINUTE_MS)
      for (const workspace of [1, 2, 3]) {
        const expected = Array.from({ length: 60 }, (_, i) => {
          const minute = last - 59 + i
          const then = seen.filter(
            (each) => each.workspace === workspace && Math.floor(each.at / MINUTE_MS) === minute,
          )
          const limited = then.filter(({ status }) => status === 429).length
          return {
            minute: new Date(minute * MINUTE_MS).toISOString(),
            allowed: then.length - limited,
            limited,
          }
        })
        expect(await open().lastHour(workspace)).toEqual(expected)
      }
    }),
    { numRuns: 15 },
  )
  await storage.close()
  await rm(dir, { recursive: true })
})

test('the usage shows the plan, what is used of it, and the requests of the last hour', async () => {
  const dashboard = await createTestDashboard()
  const { key } = (
    await dashboard.as('owner', 'POST', '/keys', {
      name: 'k',
      scopes: ['links:read', 'links:write'],
    })
  ).body
  await dashboard.withKey(key, 'POST', '/links', { destination_url: 'https://a.example/' })
  await dashboard.as('owner', 'POST', '/invitations', { email: 'x@example.com', role: 'viewer' })
  for (let i = 0; i < 31; i++) await dashboard.withKey(key, 'GET', '/links')
  const { status, body } = await dashboard.as('viewer', 'GET', '/usage')
  expect(status).toBe(200)
  expect(body.plan).toMatchObject({ id: 'small', limits: { links: 5 }, default: true })
  expect(body.used).toEqual({
    links: 1,
    addresses: 1,
    api_keys: 1,
    // Includes the invitation, which counts towards the plan's limit.
    members: 5,
    domains: 0,
    clicks_per_month: 0,
  })
  expect(body.open_invitations).toBe(1)
  expect(body.requests).toHaveLength(60)
  // The dashboard's two writes took of the same 30, but aren't requests of the API.
  expect(body.requests[59]).toEqual({ minute: '2030-01-31T09:00:00.000Z', allowed: 28, limited: 4 })
  expect(body.requests[0]).toEqual({ minute: '2030-01-31T08:01:00.000Z', allowed: 0, limited: 0 })
  await dashboard.close()
})
