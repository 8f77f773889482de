/** Nodes that do the same at the same time: what must happen once does, wherever it was asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { handOverInstance } from '../../src/features/accounts/operator.ts'
import { removePerson } from '../../src/features/accounts/removal.ts'
import { COMMAND_LINE } from '../../src/features/audit/index.ts'
import { DEFAULT_PLANS } from '../../src/features/plans/defaults.ts'
import { lockUsers } from '../../src/features/users/service.ts'
import { createUseOnce } from '../../src/redirect/uses.ts'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../harness/postgres.ts'
import { openNode, outcomes, type TestNode } from './nodes.ts'

const DEFAULT_PLAN = DEFAULT_PLANS.find((plan) => plan.default) as (typeof DEFAULT_PLANS)[number]
const here = postgresMissing === undefined
const title = `on PostgreSQL, two nodes${here ? '' : ` (${postgresMissing})`}`

let server: TestPostgres
let url: string
let nodes: [TestNode, TestNode]
let workspace: { no: number; plan: string }

beforeAll(async () => {
  if (!here) return
  server = await sharedPostgres()
  url = await server.createDatabase()
  const first = await openNode(url)
  nodes = [first, await openNode(url)]
  workspace = await first.storage.write((tx) =>
    first.workspaces.create(tx, { name: 'Race' }, COMMAND_LINE),
  )
  const { no, plan } = await newWorkspace('First')
  await newPerson(no, plan, 'owner', 'first@owners.example')
})

afterAll(async () => {
  if (here) await Promise.all(nodes.map(({ storage }) => storage.close()))
})

/** Runs the same work on both nodes, several times concurrently. */
function race<T>(work: (node: TestNode, i: number) => Promise<T>, times = 4) {
  return outcomes(Array.from({ length: times }, (_, i) => work(nodes[i % 2] as TestNode, i)))
}

async function sqlOne<T>(text: string): Promise<T> {
  const [row] = await server.admin(text, new URL(url).pathname.slice(1))
  return row as T
}

async function newWorkspace(name: string, planId = DEFAULT_PLAN.id) {
  const [{ storage, workspaces }] = nodes
  return storage.write((tx) => workspaces.create(tx, { name, planId }, COMMAND_LINE))
}

async function newPerson(no: number, plan: string, role: 'owner' | 'member', email: string) {
  const [{ storage, users, workspaces }] = nodes
  return storage.write(async (tx) => {
    const user = { email, name: null, passwordHash: 'x', emailVerified: true, language: null }
    const id = (await users.insert(tx, user as never)) as string
    await workspaces.join(tx, { no, plan }, { id, email }, role, COMMAND_LINE)
    return id
  })
}

describe.skipIf(!here)(title, () => {
  test('a slug has one winner, in 100 rounds, of one workspace or of several', async () => {
    const other = await newWorkspace('Other')
    for (let round = 0; round < 100; round++) {
      const slug = { slug: `Race-${round}`, key: `race-${round}` }
      const { given, refused } = await race((node, i) =>
        node.create(i < 2 ? workspace.no : other.no, { slug }),
      )
      expect([given.length, refused]).toEqual([1, ['SLUG_TAKEN', 'SLUG_TAKEN', 'SLUG_TAKEN']])
    }
  })

  test('slugs in opposite orders don’t deadlock', async () => {
    const other = await newWorkspace('Opposite')
    for (let round = 0; round < 5; round++) {
      const name = (i: number) => ({ slug: `o${round}-${i}`, key: `o${round}-${i}` })
      const { given, refused } = await race((node, i) => {
        const [slug, alias] = i % 2 === 0 ? [name(0), name(1)] : [name(1), name(0)]
        const no = i % 2 === 0 ? workspace.no : other.no
        return node.create(no, { slug, aliases: [{ ...alias, domainNo: 0 }] })
      }, 2)
      expect(given.length).toBe(1)
      expect(refused).toEqual(['SLUG_TAKEN'])
    }
  })

  test('max_clicks is exact', async () => {
    const [first] = nodes
    const link = await first.create(workspace.no, { max_clicks: 25 })
    const { seq } = await sqlOne<{ seq: number }>(`SELECT seq FROM links WHERE id = '${link.id}'`)
    const takes = nodes.map(({ storage }) => createUseOnce(storage))
    // Visits of one turn share a transaction, and one that comes later begins another.
    const visit = async (i: number) => {
      if (i % 3 === 0) await Bun.sleep(i / 10)
      return takes[i % 2]?.(Number(seq), Date.now()) ?? null
    }
    const uses = await Promise.all(Array.from({ length: 80 }, (_, i) => visit(i)))
    expect(uses.filter((use) => use !== null)).toHaveLength(25)
    const row = await sqlOne<{ uses: number }>(`SELECT uses FROM links WHERE id = '${link.id}'`)
    expect(Number(row.uses)).toBe(25)
  })

  test('quotas are reached and not exceeded: links, addresses, keys, members', async () => {
    const { no, plan } = await newWorkspace('Quota')
    const links = await race((node) => node.create(no, {}, 10), 30)
    expect([links.given.length, new Set(links.refused)]).toEqual([10, new Set(['LINKS_LIMIT'])])
    const { links_count } = await sqlOne<{ links_count: number }>(
      `SELECT links_count FROM workspaces WHERE no = ${no}`,
    )
    expect(Number(links_count)).toBe(10)

    const { no: other } = await newWorkspace('Addresses')
    const alias = () => {
      const slug = `alias-${++aliases}`
      return { slug, key: slug }
    }
    let aliases = 0
    const body = () => ({ aliases: [alias(), alias()] })
    const addresses = await race((node) => node.create(other, body(), null, 20), 30)
    const full = new Set(['ADDRESSES_LIMIT'])
    expect([addresses.given.length, new Set(addresses.refused)]).toEqual([6, full])
    const { addresses_count } = await sqlOne<{ addresses_count: number }>(
      `SELECT addresses_count FROM workspaces WHERE no = ${other}`,
    )
    expect(Number(addresses_count)).toBe(18)

    const keys = await race(
      (node) =>
        node.storage.write((tx) =>
          node.keys.create(tx, no, { name: 'k', scopes: ['links:read'] }, COMMAND_LINE),
        ),
      12,
    )
    expect(keys.given.length).toBe(DEFAULT_PLAN.limits.api_keys as number)
    const counted = await sqlOne<{ a: number; b: number; m: number }>(
      `SELECT api_keys_count AS a, (SELECT count(*) FROM api_keys WHERE workspace_no = ${no}) AS b,
        members_count AS m FROM workspaces WHERE no = ${no}`,
    )
    expect([Number(counted.a), Number(counted.b)]).toEqual([keys.given.length, keys.given.length])

    const members = await race(async (node, i) => {
      const email = `quota${i}@example.com`
      return node.storage.write(async (tx) => {
        const user = { email, name: null, passwordHash: 'x', emailVerified: true, language: null }
        const id = (await node.users.insert(tx, user as never)) as string
        await node.workspaces.join(tx, { no, plan }, { id, email }, 'member', COMMAND_LINE)
      })
    }, 12)
    const { n } = await sqlOne<{ n: number }>(
      `SELECT count(*) AS n FROM members WHERE workspace_no = ${no}`,
    )
    expect([members.given.length, Number(n)]).toEqual([
      DEFAULT_PLAN.limits.members as number,
      DEFAULT_PLAN.limits.members as number,
    ])
    expect(new Set(members.refused)).toEqual(new Set(['MEMBERS_LIMIT']))
  })

  test('a request with a key has one effect; others get its response, or a conflict', async () => {
    for (let round = 0; round < 20; round++) {
      const request = { workspaceNo: workspace.no, key: `once ${round}`, fingerprint: 'f' }
      let effects = 0
      const { given, refused } = await race(async ({ idempotency }) => {
        const before = await idempotency.begin(request)
        if (before !== undefined) return before.text
        try {
          const answer = await idempotency.run(request, async (tx) => {
            const host = `h${round}-${Math.random()}.example`
            const no = 1_000 + round * 10 + effects++
            await tx.db.insertInto('domains').values({ no, host }).execute()
            return { status: 201, text: host, headers: {} }
          })
          return answer.text
        } finally {
          idempotency.end(request)
        }
      })
      expect(new Set(given).size).toBe(1)
      expect(new Set([...refused, 'IDEMPOTENCY_IN_PROGRESS'])).toEqual(
        new Set(['IDEMPOTENCY_IN_PROGRESS']),
      )
      const { n } = await sqlOne<{ n: number }>(
        `SELECT count(*) AS n FROM domains WHERE host LIKE 'h${round}-%'`,
      )
      expect(Number(n)).toBe(1)
    }
  })

  test('an external id is one link’s; a change to one in use is refused', async () => {
    for (let round = 0; round < 20; round++) {
      const made = await race((node) => node.create(workspace.no, { external_id: `crm-${round}` }))
      expect([made.given.length, made.refused]).toEqual([
        1,
        ['EXTERNAL_ID_TAKEN', 'EXTERNAL_ID_TAKEN', 'EXTERNAL_ID_TAKEN'],
      ])
      const others = await Promise.all([0, 1].map(() => nodes[0].create(workspace.no, {})))
      const changed = await race(
        (node, i) => node.patch(workspace.no, others[i]?.id ?? '', { external_id: `x-${round}` }),
        2,
      )
      expect([changed.given.length, changed.refused]).toEqual([1, ['EXTERNAL_ID_TAKEN']])
    }
  })

  test('a key is rotated once', async () => {
    for (let round = 0; round < 10; round++) {
      const [{ storage, keys }] = nodes
      const { no } = await newWorkspace(`Rotation ${round}`)
      const input = { name: 'k', scopes: ['links:read'] }
      const { id } = await storage.write((tx) => keys.create(tx, no, input, COMMAND_LINE))
      const { given, refused } = await race((node) =>
        node.storage.write((tx) => node.keys.rotate(tx, id, { workspaceNo: no }, COMMAND_LINE)),
      )
      expect([given.length, new Set(refused)]).toEqual([1, new Set(['KEY_ALREADY_ROTATED'])])
    }
  })

  test('of two owners leaving one stays', async () => {
    for (let round = 0; round < 10; round++) {
      const { no, plan } = await newWorkspace(`Owners ${round}`, 'unlimited')
      const ids = [
        await newPerson(no, plan, 'owner', `a${round}@owners.example`),
        await newPerson(no, plan, 'owner', `b${round}@owners.example`),
      ]
      const { given, refused } = await race(({ storage, members }, i) => {
        const userId = ids[i] as string
        const caller = { userId, workspace: { no }, actor: COMMAND_LINE }
        return storage.write((tx) => members.remove(tx, caller as never, userId))
      }, 2)
      expect([given.length, refused]).toEqual([1, ['LAST_OWNER']])
    }
  })

  test('of two owners deleting their accounts one stays', async () => {
    for (let round = 0; round < 10; round++) {
      const { no, plan } = await newWorkspace(`Gone ${round}`, 'unlimited')
      const people = ['c', 'd'].map((name) => `${name}${round}@owners.example`)
      for (const email of people) await newPerson(no, plan, 'owner', email)
      const { given, refused } = await race((node, i) => removePerson(node, people[i] as string), 2)
      expect([given.length, refused]).toEqual([1, ['SOLE_OWNER']])
      const { members, owners } = await sqlOne<Record<string, string>>(
        `SELECT members_count AS members,
          (SELECT count(*) FROM members WHERE workspace_no = no AND role = 'owner') AS owners
         FROM workspaces WHERE no = ${no}`,
      )
      expect([Number(members), Number(owners)]).toEqual([1, 1])
    }
  })

  test('an account is deleted completely or not at all, while it joins workspaces', async () => {
    const { no, plan } = await newWorkspace('Old', 'unlimited')
    for (let round = 0; round < 10; round++) {
      const fresh = await newWorkspace(`New ${round}`, 'unlimited')
      const email = `joins${round}@example.com`
      const id = await newPerson(no, plan, 'member', email)
      const { refused } = await race(async (node, i) => {
        if (i === 0) return removePerson(node, email)
        return node.storage.write((tx) =>
          node.workspaces.join(tx, fresh, { id, email }, 'owner', COMMAND_LINE),
        )
      }, 2)
      expect(['', 'SIGN_IN_REQUIRED', 'SOLE_OWNER']).toContain(refused.join())
      const { users, members } = await sqlOne<Record<string, string>>(
        `SELECT (SELECT count(*) FROM users WHERE id = '${id}') AS users,
          (SELECT count(*) FROM members WHERE user_id = '${id}') AS members`,
      )
      expect(['0 0', '1 2']).toContain(`${users} ${members}`)
      const counts = await sqlOne<Record<string, string>>(
        `SELECT members_count AS counted,
          (SELECT count(*) FROM members WHERE workspace_no = no) AS found
         FROM workspaces WHERE no = ${fresh.no}`,
      )
      expect(counts.counted).toBe(counts.found as string)
    }
  })

  test('an instance that is handed over to several has one owner', async () => {
    const { no, plan } = await newWorkspace('Handed over', 'unlimited')
    const people = ['e', 'f', 'g', 'h'].map((name) => `${name}@owners.example`)
    for (const email of people) await newPerson(no, plan, 'member', email)
    for (let round = 0; round < 5; round++) {
      const { given } = await race((node, i) => handOverInstance(node, people[i] as string))
      expect(given).toEqual([true, true, true, true])
      const { owners } = await sqlOne<Record<string, string>>(
        'SELECT count(*) AS owners FROM users WHERE instance_owner = 1',
      )
      expect(Number(owners)).toBe(1)
    }
  })

  test('each node has its own claim link, and all of them end with the first one used', async () => {
    const database = await server.createDatabase()
    const [a, b] = [await openNode(database, 'nod_a'), await openNode(database, 'nod_b')]
    const command = await openNode(database)
    const admitted = async (...tokens: (string | null)[]) =>
      Promise.all(tokens.map((token) => a.claims.admits(b.storage.read, token ?? '')))
    const [first, second] = await Promise.all([a.claims.open(), b.claims.open()])
    expect(await admitted(first, second, 'x')).toEqual([true, true, false])
    // A restarted node has a new one, and the others keep theirs.
    const third = await a.claims.open()
    expect(await admitted(first, second, third)).toEqual([false, true, true])
    const fourth = await command.claims.open()
    expect(await admitted(second, third, fourth)).toEqual([false, false, true])
    const fifth = await b.claims.open()
    expect(await admitted(fourth, fifth)).toEqual([false, true])
    await a.claims.open()
    await b.storage.write((tx) => b.claims.close(tx))
    expect(await admitted(fifth)).toEqual([false])
    for (const node of [a, b, command]) await node.storage.close()
  })

  test('an instance is claimed once, and one person owns it', async () => {
    const database = await server.createDatabase()
    const pair = [await openNode(database), await openNode(database)] as const
    const token = (await pair[0].claims.open()) as string
    const { given, refused } = await outcomes(
      [0, 1, 2, 3].map((i) => {
        const node = pair[i % 2] as TestNode
        return node.storage.write(async (tx) => {
          await lockUsers(tx)
          if (!(await node.claims.admits(tx, token)))
            throw Object.assign(new Error(), { code: 'NO' })
          const email = `first${i}@example.com`
          const user = { email, name: null, passwordHash: 'x', emailVerified: true, language: null }
          await node.users.insert(tx, user as never)
          await node.claims.close(tx)
        })
      }),
    )
    expect([given.length, refused]).toEqual([1, ['NO', 'NO', 'NO']])
    await Promise.all(pair.map(({ storage }) => storage.close()))
  })

  test('attempts are counted exactly', async () => {
    const limit = { name: 'test', policy: { ratePerMinute: 1, burst: 5 } }
    const { given } = await race(({ attempts }) => attempts.tryTake(limit, 'somebody'), 20)
    expect(given.filter((allowed) => allowed === true)).toHaveLength(5)
  })

  test('audit numbers have neither gaps nor duplicates', async () => {
    const { no } = await newWorkspace('Numbers')
    await race(async (node, i) => {
      const link = await node.create(no, i % 3 === 0 ? { slug: { slug: 'n', key: 'n' } } : {}, 40)
      await node.patch(no, link.id, { title: 'changed' })
    }, 60)
    const { rows, low, high, made } = await sqlOne<Record<string, string>>(
      `SELECT count(*) AS rows, min(seq) AS low, max(seq) AS high,
        (SELECT audit_made FROM workspaces WHERE no = ${no}) AS made
       FROM audit WHERE seq > ${no}::bigint << 32 AND seq < ${no + 1}::bigint << 32`,
    )
    expect(Number(high) - Number(low) + 1).toBe(Number(rows))
    expect(Number(made)).toBe(Number(rows))
  })
})
