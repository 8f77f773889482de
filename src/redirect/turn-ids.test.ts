import { expect, test } from 'bun:test'
import { createIds } from '../lib/base/ids.ts'
import { systemRandom } from '../lib/base/random.ts'
import { TurnIds } from './turn-ids.ts'

test('are well-formed, unique and sorted within a turn, over turns of one millisecond', () => {
  const ids = createIds({ now: () => 1_700_000_000_000 }, systemRandom)
  const turnIds = new TurnIds(() => ids.next('req'))
  const all: string[] = []
  for (let turn = 0; turn < 50; turn++) {
    turnIds.startTurn()
    for (let i = 0; i < (turn === 7 ? 3_000 : 40); i++) all.push(turnIds.next())
    all.push(ids.next('req'))
  }
  expect(new Set(all).size).toBe(all.length)
  expect([...all].sort()).toEqual(all)
  for (const id of all) expect(id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
})
