import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Sieve, type Sieved } from './sieve.ts'

class Item implements Sieved {
  visited = false
  newer: this | null = null
  older: this | null = null
  constructor(
    readonly key: number,
    readonly bytes: number,
  ) {}
}

test('holds just what was added and not taken out or evicted, within its bounds', () => {
  const steps = fc.array(
    fc.record({
      key: fc.nat(30),
      bytes: fc.integer({ min: 1, max: 40 }),
      what: fc.constantFrom('add', 'add', 'add', 'visit', 'remove'),
    }),
    { maxLength: 200 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const held = new Map<number, Item>()
      const bounds = { entriesMax: 8, bytesMax: 100 }
      const sieve = new Sieve<Item>(bounds, ({ key }) => void held.delete(key))
      for (const { key, bytes, what } of all) {
        const known = held.get(key)
        if (what === 'visit') {
          if (known !== undefined) known.visited = true
        } else if (what === 'remove' || known !== undefined) {
          if (known === undefined) continue
          sieve.remove(known)
          held.delete(key)
        } else {
          const item = new Item(key, bytes)
          held.set(key, item)
          sieve.add(item)
        }
        const listed: number[] = []
        for (let item = sieve.newest; item !== null; item = item.older) listed.push(item.key)
        expect(listed.sort()).toEqual([...held.keys()].sort())
        expect(sieve.size).toBe(held.size)
        expect(sieve.bytes).toBe([...held.values()].reduce((sum, item) => sum + item.bytes, 0))
        expect(sieve.size).toBeLessThanOrEqual(bounds.entriesMax)
        expect(sieve.bytes).toBeLessThanOrEqual(bounds.bytesMax)
      }
    }),
  )
})

test('an entry that is larger than everything allowed isn’t kept', () => {
  const evicted: number[] = []
  const sieve = new Sieve<Item>({ entriesMax: 8, bytesMax: 100 }, ({ key }) => evicted.push(key))
  sieve.add(new Item(1, 10))
  sieve.add(new Item(2, 101))
  expect(evicted).toEqual([1, 2])
  expect(sieve.size).toBe(0)
})
