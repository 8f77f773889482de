import { eventually } from './eventually.ts'
import type { Slugline } from './process.ts'

let marks = 0

/**
 * Resolves when all nodes have received the messages about every link that the first one has
 * created or changed: messages arrive in order, so the last one is enough. A link cached before
 * that would be invalidated again. Counts no click.
 */
export async function allHaveHeard(nodes: readonly Slugline[], key: string): Promise<void> {
  const [first] = nodes as [Slugline]
  const slug = `mark-${process.pid}-${++marks}`
  const [before, after] = ['https://before.example/', 'https://after.example/']
  const body = { destination_url: before, slug }
  const made = await first.call('POST', '/api/v1/links', { key, body })
  if (made.status !== 201) throw new Error(`A link was not made: ${made.status}`)
  const { id } = (await made.json()) as { id: string }
  const seen = async (node: Slugline) =>
    (await node.call('HEAD', `/${slug}`)).headers.get('location')
  await Promise.all(nodes.map(seen))
  await first.call('PATCH', `/api/v1/links/${id}`, { key, body: { destination_url: after } })
  await eventually('all nodes have heard', async () => {
    const found = await Promise.all(nodes.map(seen))
    return found.every((location) => location === after) ? true : undefined
  })
}
