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
        ...(id.endsWith('/appeal') ? { body: { text: 'mine' } } : {}),
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
    for (const part of [
      'stats',
      'stats/country',
      'clicks',
      'clicks.csv',
      'clicks.parquet',
      'qr.svg',
      'qr.png',
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await seen(method, `${foreign}/${part}`, {})
        expect(answer.status).toBe(404)
        expect(answer).toEqual(await seen(method, `${missing}/${part}`, {}))
      }
    }
    expect(await seen('GET', `${foreign}/history`, {})).toEqual(
      await seen('GET', `${missing}/history`, {}),
    )
    const appealed = await seen('POST', `${foreign}/appeal`, {})
    expect(appealed.status).toBe(404)
    expect(appealed).toEqual(await seen('POST', `${missing}/appeal`, {}))
    const restored = await seen('POST', `${foreign}/restore`, {})
    expect(restored.status).toBe(404)
    expect(restored).toEqual(await seen('POST', `${missing}/restore`, {}))
    for (const path of ['stats', 'clicks', 'clicks/stream', 'clicks.ndjson']) {
      const filtered = async (id: string) => {
        const answer = await slugline.call('GET', `/api/v1/${path}?link=${id}`, { key: own.key })
        const { error } = (await answer.json()) as { error: { code: string } }
        return [answer.status, error.code]
      }
      expect(await filtered(foreign)).toEqual([404, 'LINK_NOT_FOUND'])
      expect(await filtered(missing)).toEqual([404, 'LINK_NOT_FOUND'])
    }
    const left = await slugline.call('GET', `/api/v1/links/${foreign}`, { key: other.key })
    expect(((await left.json()) as { title: string | null }).title).toBeNull()
  } finally {
    await slugline.dispose()
  }
})
