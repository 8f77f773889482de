import { expect, test } from 'bun:test'
import { createTestLinks } from './test-links.ts'

test('a total that was counted before stays true, whatever happens in between', async () => {
  const links = await createTestLinks()
  let expected = 0
  const add = async (word: string) => {
    const made = await links.create({ destination_url: `https://a.example/${word}`, tags: [word] })
    if (word === 'apple') expected++
    return made
  }
  const check = async () => {
    for (const query of [
      { search: 'apple' },
      { tag: ['apple'] },
      { search: 'pp', tag: ['apple'] },
    ]) {
      const { data, pagination } = await links.list({ ...query, limit: '100' })
      expect([pagination.total, data.length]).toEqual([expected, expected])
    }
  }
  const first = await add('apple')
  await check()
  for (let round = 0; round < 4; round++) {
    await add('apple')
    await add('pear')
    await check()
  }
  // A change among the creations: as many entries of the audit log more than links.
  await add('apple')
  await links.patch(first.id, { destination_url: 'https://a.example/plum', tags: [] })
  expected--
  await check()
  await add('pear')
  await check()
  // As many links as before, others.
  const { data } = await links.list({ search: 'apple', limit: '1' })
  await links.remove(data[0]?.id ?? '')
  expected--
  await add('apple')
  await check()
  await links.restore(data[0]?.id ?? '')
  expected++
  await check()
  await links.close()
})
