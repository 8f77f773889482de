import { expect, test } from 'bun:test'
import { createPictures } from './pictures.ts'

const SIZE = 1_000

/** Pictures, and those that are being drawn: `finish` ends the first. */
function waiting(keptBytes?: number) {
  const pictures = createPictures(keptBytes)
  const begun: { name: string; finish: () => void }[] = []
  return {
    begun,
    names: () => begun.map(({ name }) => name),
    get: (workspaceNo: number, name: string) =>
      pictures.get(workspaceNo, name, async () => {
        const done = Promise.withResolvers<void>()
        begun.push({ name, finish: done.resolve })
        await done.promise
        return new Uint8Array(SIZE)
      }),
  }
}

test('pictures are drawn one at a time, workspaces in turns, the same one once', async () => {
  const { begun, names, get } = waiting()
  const all = [get(1, 'a'), get(1, 'b'), get(1, 'c'), get(1, 'a'), get(2, 'x'), get(2, 'b')]
  for (let n = 1; n <= 5; n++) {
    await Bun.sleep(0)
    expect(begun).toHaveLength(n)
    begun[n - 1]?.finish()
  }
  await Promise.all(all)
  expect(names()).toEqual(['a', 'x', 'b', 'b', 'c'])
})

test('the latest pictures are kept, up to a limit', async () => {
  const { begun, names, get } = waiting(2 * SIZE)
  const draw = async (name: string) => {
    const picture = get(1, name)
    await Bun.sleep(0)
    begun.at(-1)?.finish()
    return picture
  }
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await draw(name)).toHaveLength(SIZE)
  expect(names()).toEqual(['a', 'b', 'c', 'b'])
})

test('a drawing that fails is drawn again', async () => {
  const pictures = createPictures()
  const failing = pictures.get(1, 'a', () => Promise.reject(new Error('broken')))
  expect(await failing.catch(({ message }) => message)).toBe('broken')
  expect(await pictures.get(1, 'a', async () => new Uint8Array(1))).toHaveLength(1)
})
