/**
 * Whether the time of an answer tells that a hidden link exists: links of another workspace and links
 * outside of a key's restrictions beside ids that nobody has, asked for one after another in random
 * order. `slower` is how often a hidden one takes longer than a missing one, of all pairs: 50 % tells
 * nothing. The row `missing` compares missing ids with each other: how far the figures can be trusted.
 * Usage: bin/bun bench/hidden-ids.ts [--rounds 4000] [--postgres] [--only REGEXP]
 */
import { parseArgs } from 'node:util'
import { writePlans } from '../test/harness/plans.ts'
import { startSlugline } from '../test/harness/process.ts'
import { seeded } from '../test/harness/random.ts'
import { machine, median } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '4000' },
    postgres: { type: 'boolean' },
    only: { type: 'string', default: '' },
  },
})
const rounds = Number(values.rounds)
const HIDDEN = 500
const SCOPES = 'links:read,links:write,keys:write,webhooks:read,webhooks:write'
const random = seeded(1)

const slugline = await startSlugline({
  SLUGLINE_PLANS: writePlans({ unlimited: {} }),
  ...(!values.postgres && { DATABASE_URL: '' }),
  LOG_LEVEL: 'warn',
})
const other = (await slugline.createKey({ workspace: 'other', scopes: SCOPES })).key
const all = (await slugline.createKey({ workspace: 'own', scopes: SCOPES })).key
const folder = await made('/folders', all, { name: 'Seen' })
const restricted = await made('/keys', all, {
  name: 'restricted',
  scopes: ['links:read', 'links:write'],
  restrictions: { folders: [folder.id] },
})

/** Ids as new links get them, of which nobody has any more. */
const gone = await idsOf(all)
for (const id of gone) await ask('DELETE', `/links/${id}`, all)
const missing = gone.map((id) => `${id.slice(0, -4)}${letters(4)}`)
const kinds: Record<string, { key: string; ids: string[] }> = {
  missing: { key: restricted.key, ids: missing },
  'of another workspace': { key: all, ids: await idsOf(other) },
  'outside of a restriction': { key: restricted.key, ids: await idsOf(all) },
}
const REQUESTS = [
  ['GET', '/links/ID'],
  ['PATCH', '/links/ID', { title: 'New' }],
  ['GET', '/links/ID/history'],
  ['GET', '/links/ID/stats'],
  ['GET', '/links/ID/qr.svg'],
  ['GET', '/stats?link_id=ID'],
  ['GET', '/events?limit=1&link_id=ID'],
] as const

console.log(machine())
const rows: object[] = []
for (const [method, path, body] of REQUESTS) {
  if (!new RegExp(values.only).test(path)) continue
  for (const [kind, { key, ids }] of Object.entries(kinds)) {
    const times: [number[], number[]] = [[], []]
    for (let i = 0; i < rounds; i++) {
      const which = random() < 0.5 ? 0 : 1
      const from = which === 0 ? missing : ids
      const id = from[Math.floor(random() * from.length)] as string
      const begin = performance.now()
      await ask(method, path.replace('ID', id), key, body)
      times[which].push((performance.now() - begin) * 1_000)
    }
    const [of, its] = times
    rows.push({
      request: `${method} ${path}`,
      kind,
      'missing µs': Math.round(median(of)),
      'its µs': Math.round(median(its)),
      slower: `${(100 * slower(its, of)).toFixed(1)} %`,
    })
  }
}
console.table(rows)
await slugline.dispose()
process.exit()

/** Of all pairs, the share in which the first list's is longer. */
function slower(its: readonly number[], of: readonly number[]): number {
  const sorted = [
    ...its.map((time) => ({ time, isIts: true })),
    ...of.map((time) => ({ time, isIts: false })),
  ].sort((a, b) => a.time - b.time)
  let below = 0
  let pairs = 0
  for (const { isIts } of sorted) {
    if (isIts) pairs += below
    else below++
  }
  return pairs / (its.length * of.length)
}

async function idsOf(key: string): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < HIDDEN; i++) {
    ids.push((await made('/links', key, { destination_url: 'https://example.com/' })).id)
  }
  return ids
}

async function made(path: string, key: string, body: object) {
  const answer = await slugline.call('POST', `/api/v1${path}`, { key, body })
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status}`)
  return (await answer.json()) as { id: string; key: string }
}

async function ask(method: string, path: string, key: string, body?: object): Promise<void> {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body && { body }) })
  await answer.arrayBuffer()
}

function letters(count: number): string {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz'
  return Array.from({ length: count }, () => digits[Math.floor(random() * digits.length)]).join('')
}
