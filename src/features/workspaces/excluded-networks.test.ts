import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await createTestDashboard()
})
afterAll(() => dashboard.close())

const PATH = '/workspace/excluded-networks'
const put = (networks: unknown, as = 'owner') => dashboard.as(as, 'PUT', PATH, { networks })

test('networks are set by owners, effective with the next visit, and in the audit log', async () => {
  expect((await put(['192.0.2.0/24'], 'admin')).status).toBe(403)
  expect((await dashboard.as('viewer', 'GET', PATH)).body).toEqual({ networks: [] })
  const networks = ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']
  const set = await put([...networks, '192.0.2.0/24'])
  expect([set.status, set.body]).toEqual([200, { networks }])
  expect((await dashboard.as('viewer', 'GET', PATH)).body).toEqual({ networks })
  const { excluded, workspace } = dashboard
  const covers = (address: string, no = workspace.no) =>
    excluded.covers(no * SEQS_PER_WORKSPACE + 5, address)
  for (const address of ['192.0.2.99', '::ffff:192.0.2.1', '2001:db8::9', '198.51.100.7']) {
    expect([address, covers(address)]).toEqual([address, true])
    expect([address, covers(address, workspace.no + 1)]).toEqual([address, false])
  }
  for (const address of ['192.0.3.1', '2001:db9::1', '198.51.100.8', '', 'x']) {
    expect([address, covers(address)]).toEqual([address, false])
  }
  expect((await put([])).status).toBe(200)
  expect(covers('192.0.2.99')).toBe(false)
  const entries = (await dashboard.entries()).filter(({ after }) => after.includes('excluded'))
  expect(entries.map(({ action, after }) => [action, JSON.parse(after)])).toEqual([
    ['workspace.updated', { excluded_networks: networks }],
    ['workspace.updated', { excluded_networks: [] }],
  ])
})

test('values that aren’t networks are refused, each with its index', async () => {
  const { status, body } = await put(['10.0.0.0/8', '10.0.0.0/33', 'x', 5])
  const fields = body.error.details.map(({ field }: { field: string }) => field)
  expect([status, fields]).toEqual([422, ['networks[1]', 'networks[2]', 'networks[3]']])
  const many = Array.from({ length: 101 }, (_, n) => `10.0.${n}.0/24`)
  expect((await put(many)).body.error.details).toMatchObject([{ code: 'TOO_MANY' }])
})
