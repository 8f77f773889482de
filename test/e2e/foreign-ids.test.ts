import { expect, test } from 'bun:test'
import { startSlugline } from '../harness/process.ts'

test("another workspace's id is answered exactly as a missing one, on every endpoint", async () => {
  const slugline = await startSlugline()
  try {
    const own = await slugline.createKey({ workspace: 'own' })
    const other = await slugline.createKey({ workspace: 'other' })
    const created = await slugline.call('POST', '/api/v1/links', {
      key: other.key,
      body: { destination_url: 'https://example.com/', slug: 'theirs' },
    })
    const foreign = ((await created.json()) as { id: string }).id
    const missing = `${foreign.slice(0, -4)}0000`
    const seen = async (method: string, id: string, headers: Record<string, string>) => {
      const answer = await slugline.call(method, `/api/v1/links/${id}`, {
        key: own.key,
        headers,
        ...(method === 'PATCH' ? { body: { title: 'mine' } } : {}),
      })
      const text = await answer.text()
      const id_ = answer.headers.get('x-request-id') ?? ''
      const kept = [...answer.headers].filter(
        ([name]) => !['x-request-id', 'date'].includes(name) && !name.includes('ratelimit'),
      )
      return { status: answer.status, headers: kept.sort(), text: text.replace(id_, 'ID') }
    }
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']) {
      for (const headers of [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }]) {
        expect(await seen(method, foreign, headers)).toEqual(await seen(method, missing, headers))
      }
    }
    const left = await slugline.call('GET', `/api/v1/links/${foreign}`, { key: other.key })
    expect(((await left.json()) as { title: string | null }).title).toBeNull()
  } finally {
    await slugline.dispose()
  }
})
