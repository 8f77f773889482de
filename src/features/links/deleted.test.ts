import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createTestDashboard, type TestDashboard } from '../audit/testing/dashboard.ts'

const DAY_MS = 86_400_000

let its: TestDashboard
beforeEach(async () => {
  its = await createTestDashboard()
})
afterEach(() => its.close())

const send = (method: string, path: string, body?: object) => its.as('owner', method, path, body)
async function deleted(slug: string, fields: object = {}): Promise<string> {
  const body = { destination_url: 'https://e.example/', slug, title: slug, ...fields }
  const { id } = (await send('POST', '/links', body)).body
  await send('DELETE', `/links/${id}`)
  its.clock.ms += 1_000
  return id
}
const listed = async (query = '', person = 'owner') =>
  (await its.as(person, 'GET', `/links/deleted${query}`)).body.data.map(
    (it: { id: string }) => it.id,
  )

test('deleted links are listed while they can be restored, latest first, in pages', async () => {
  const [one, two, three] = [await deleted('one'), await deleted('two'), await deleted('three')]
  const first = (await send('GET', '/links/deleted?limit=2')).body
  expect(first.data).toEqual([
    expect.objectContaining({ id: three }),
    {
      id: two,
      destination_url: 'https://e.example/',
      slug: 'two',
      domain: 's.example',
      short_url: 'https://s.example/two',
      title: 'two',
      deleted_at: '2030-01-31T09:00:01.000Z',
      restorable_until: '2030-02-07T09:00:01.000Z',
    },
  ])
  const cursor = encodeURIComponent(first.pagination.next_cursor)
  expect(await listed(`?limit=2&cursor=${cursor}`)).toEqual([one])
  expect(await listed(`?id=${two}`)).toEqual([two])
  expect((await send('GET', `/links/deleted?id=${two}&cursor=${cursor}`)).status).toBe(400)
  await send('POST', `/links/${two}/restore`)
  expect(await listed()).toEqual([three, one])
  its.clock.ms += 7 * DAY_MS - 2_000
  expect(await listed()).toEqual([three])
})

test('those of a hidden folder are not among them', async () => {
  const folder = (await send('POST', '/folders', { name: 'S', access: 'members' })).body.id
  const other = (await send('POST', '/folders', { name: 'A' })).body.id
  const hidden = await deleted('hidden', { folder_id: folder })
  const moved = await deleted('moved', { folder_id: other })
  const seen = await deleted('seen')
  await send('DELETE', `/folders/${other}?move_to=${folder}`)
  expect(await listed('', 'member')).toEqual([seen])
  expect(await listed(`?id=${hidden}`, 'member')).toEqual([])
  expect(await listed()).toEqual([seen, moved, hidden])
})
