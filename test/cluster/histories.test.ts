// What several nodes answer is what one could have answered, whatever fails. Longer: histories.long.ts
// and bench/histories.ts.
import { describe, expect, test } from 'bun:test'
import { startCluster } from '../harness/cluster.ts'
import * as history from '../harness/history.ts'
import { historyEnv, historyRun } from '../harness/history-run.ts'
import { postgresMissing } from '../harness/postgres.ts'
import { redisMissing } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
/** `HISTORY_SEED`: what is asked for, and what fails. */
const SEED = Number(process.env.HISTORY_SEED ?? Date.now() % 1_000_000)

test.skipIf(missing !== undefined)(
  `three nodes keep their promises while they and their servers fail${missing ? ` (${missing})` : ''}`,
  async () => {
    console.log(`HISTORY_SEED=${SEED}`)
    const cluster = await startCluster({ nodes: 3, env: historyEnv() })
    try {
      const run = await historyRun(cluster, {
        seed: SEED,
        faults: ['freeze a node', 'kill PostgreSQL'],
      })
      const { faults, ...counts } = run
      console.log(JSON.stringify(counts))
      expect(faults).toEqual([])
      expect(run.requests).toBeGreaterThan(0)
      expect(run.bound).toBeGreaterThan(0)
      expect(run.limited).toBeGreaterThan(0)
    } finally {
      await cluster.dispose()
    }
  },
  300_000,
)

/** A history as it was written down: each line has what was asked for, from when, and until when. */
type Line = [invoked: number, returned: number, kind: string, ...rest: unknown[]]

/** Requests about one slug, on one node. */
function requests(...lines: Line[]): history.SlugOperation[] {
  return lines.map(([invoked, returned, what, link, more]) => ({
    ...{ slug: 's', invoked, returned, node: 'a' },
    kind: what as 'get',
    link: link as history.Link | null,
    outcome: returned === Number.POSITIVE_INFINITY ? 'unknown' : 'done',
    ...(more as object),
  }))
}

function visits(...lines: [invoked: number, returned: number, url: string | null][]) {
  return lines.map(([invoked, returned, url]) => ({
    ...{ slug: 's', invoked, returned, url, node: 'a', isBound: true },
  }))
}

const NEVER = Number.POSITIVE_INFINITY
/** The versions of a link, and another link. */
const v1 = { made: 'A', url: 'one', version: 1 }
const v2 = { made: 'A', url: 'two', version: 2 }
const other = { made: 'B', url: 'three', version: 1 }
/** A change whose answer isn't known doesn't name a version. */
const two = { made: 'A', url: 'two' }
const created = [1, 2, 'create', v1] satisfies Line
const patched = [3, 4, 'patch', v2] satisfies Line

describe('the requests about a slug', () => {
  const UNORDERED = ['s: its requests have no order']
  const faults = (...lines: Line[]) => history.slugFaults(requests(...lines), [])

  test.each<[string, Line[]]>([
    [
      'one after the other',
      [created, patched, [5, 6, 'get', v2], [7, 8, 'delete', v2], [9, 10, 'get', null]],
    ],
    ['a read that overlaps a change, before it', [created, [3, 9, 'patch', v2], [4, 5, 'get', v1]]],
    ['a read that overlaps a change, after it', [created, [3, 9, 'patch', v2], [4, 5, 'get', v2]]],
    [
      'a change without an answer that was made late',
      [created, [3, NEVER, 'patch', two], [4, 5, 'get', v1], [6, 7, 'get', v2]],
    ],
    [
      'a change without an answer that was never made',
      [created, [3, NEVER, 'patch', two], [4, 5, 'get', v1]],
    ],
    [
      'a refusal because another link has the slug',
      [created, [3, 4, 'create', other, { outcome: 'taken' }]],
    ],
    [
      'a refusal because of another version',
      [created, patched, [5, 6, 'patch', two, { outcome: 'changed', ifVersion: 1 }]],
    ],
  ])('can be %s', (_, lines) => {
    expect(faults(...lines)).toEqual([])
  })

  test.each<[string, Line[]]>([
    ['a stale read', [created, patched, [5, 6, 'get', v1]]],
    ['a lost write', [created, patched, [5, 6, 'get', null]]],
    [
      'two states read in the wrong order',
      [created, [3, 9, 'patch', v2], [4, 5, 'get', v2], [6, 7, 'get', v1]],
    ],
    [
      'a change without an answer that was undone',
      [created, [3, NEVER, 'patch', two], [4, 5, 'get', v2], [6, 7, 'get', v1]],
    ],
    ['a change that was made twice', [created, patched, [5, 6, 'get', { ...v2, version: 3 }]]],
    ['a version that was left out', [created, [3, 4, 'patch', { ...v2, version: 3 }]]],
    ['one slug for two links', [created, [3, 4, 'create', other]]],
    ['a refusal without a reason', [[1, 2, 'create', v1, { outcome: 'taken' }]]],
    ['a link that was deleted twice', [created, [3, 4, 'delete', v1], [5, 6, 'delete', v1]]],
    ['a deleted link', [created, [3, 4, 'delete', v1], [5, 6, 'get', v1]]],
    [
      'a change of another version',
      [created, patched, [5, 6, 'patch', { ...v1, version: 3 }, { ifVersion: 1 }]],
    ],
  ])('can’t be %s', (_, lines) => {
    expect(faults(...lines)).toEqual(UNORDERED)
  })
})

describe('redirects', () => {
  const late = 4 + history.BOUND_MS

  test('may be as old as the bound, and older where a node couldn’t ask', () => {
    const all = requests(created, patched)
    expect(history.slugFaults(all, visits([late - 1, late, 'one']))).toEqual([])
    const unsure = visits([late + 1, late + 2, 'one']).map((one) => ({ ...one, isBound: false }))
    expect(history.slugFaults(all, unsure)).toEqual([])
  })

  test('may not be older', () => {
    const all = requests(created, patched)
    const found = history.slugFaults(all, visits([late + 1, late + 2, 'one']))
    expect(found).toEqual(['s: a redirect is too old'])
  })

  const onOther = requests(created, patched).map((one) => ({ ...one, node: 'b' }))

  test('may differ between nodes, and while they overlap', () => {
    expect(history.backFaults(onOther, visits([5, 6, 'one'], [7, 8, 'two']))).toEqual([])
    expect(history.backFaults(onOther, visits([5, 8, 'two'], [7, 9, 'one']))).toEqual([])
  })

  test.each([
    ['to an earlier version', onOther, visits([5, 6, 'two'], [7, 8, 'one'])],
    [
      'behind a change that the node has confirmed',
      requests(created, patched),
      visits([5, 6, 'one']),
    ],
    ['to a link that was gone', onOther, visits([5, 6, 'two'], [7, 8, null], [9, 10, 'two'])],
    [
      'to a link that the node has deleted',
      requests(created, [3, 4, 'delete', v1]),
      visits([5, 6, 'one']),
    ],
  ])('don’t go back %s', (_, all, seen) => {
    expect(history.backFaults(all, seen)).toHaveLength(1)
  })
})

describe('limits', () => {
  type Place = history.PlaceOperation
  const place = (invoked: number, kind: Place['kind'], outcome: Place['outcome'] = 'done') => {
    const returned = outcome === 'unknown' ? NEVER : invoked + 1
    return { invoked, returned, kind, outcome }
  }
  const full = [place(1, 'create'), place(3, 'create')]

  test('of links are reached, exactly', () => {
    const freed = [...full, place(5, 'create', 'refused'), place(7, 'delete'), place(9, 'create')]
    expect(history.quotaFaults(freed, 2)).toEqual([])
    const open = [place(1, 'create'), place(3, 'create', 'unknown'), place(5, 'create', 'refused')]
    expect(history.quotaFaults(open, 2)).toEqual([])
  })

  test.each([
    ['one link too many', [...full, place(5, 'create')]],
    ['a refusal too early', [place(1, 'create'), place(3, 'create', 'refused')]],
    [
      'a refusal after a place was freed',
      [...full, place(5, 'delete'), place(7, 'create', 'refused')],
    ],
  ])('of links allow no %s', (_, places) => {
    expect(history.quotaFaults(places, 2)).toHaveLength(1)
  })

  const person = (invoked: number, outcome: history.LimitedVisit['outcome']) => ({
    ...{ invoked, returned: invoked + 1, outcome },
  })

  test('of visits are reached, exactly', () => {
    const all = [person(1, 'redirected'), person(3, 'unknown'), person(5, 'refused')]
    expect(history.limitFaults(all, 2)).toEqual([])
    expect(history.limitFaults(all, 1)).toEqual([])
  })

  test.each([
    ['one too many', [1, 3, 5].map((at) => person(at, 'redirected'))],
    [
      'a refusal too early',
      [person(1, 'redirected'), person(3, 'refused'), person(5, 'redirected')],
    ],
  ])('of visits allow no %s', (_, all) => {
    expect(history.limitFaults(all, 2)).toHaveLength(1)
  })
})

test('a key has one answer', () => {
  expect(history.answerFaults(new Map([['k', ['{"id":1}', '{"id":1}']]]))).toEqual([])
  expect(history.answerFaults(new Map([['k', ['{"id":1}', '{"id":2}']]]))).toHaveLength(1)
})

describe('the audit log', () => {
  const entry = (number: number, sequence: number | null, version: number, url: string) => ({
    ...{ number, sequence, version, url },
    ...{ action: version === 1 ? 'link.created' : 'link.updated', target: 'lnk_1' },
  })
  const whole = [entry(1, 1, 1, 'one'), entry(2, 2, 2, 'two'), entry(3, 3, 3, 'three')]

  test('has every change once, without a gap', () => {
    const key = { ...entry(1, null, 1, ''), action: 'key.created', url: undefined, version: null }
    const after = whole.map((one) => ({ ...one, number: one.number + 1 }))
    expect(history.auditFaults([key, ...after], ['one', 'three'])).toEqual([])
  })

  const [one, second, third] = whole as [history.Entry, history.Entry, history.Entry]
  test.each<[string, history.Entry[]]>([
    ['number', [one, second, { ...third, number: 4 }]],
    ['event', [one, second, { ...third, sequence: 4 }]],
    ['version', [one, second, { ...third, version: 4 }]],
    ['change that was made twice', [one, second, { ...third, url: 'two' }]],
    ['answered change', [one, second]],
  ])('doesn’t hide a missing %s', (name, entries) => {
    const answered = name === 'answered change' ? ['three'] : ['one']
    expect(history.auditFaults(entries, answered)).toHaveLength(1)
  })
})
