import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeyService } from '../../features/keys/service.ts'
import { DEFAULT_PLANS } from '../../features/plans/defaults.ts'
import { createPlans } from '../../features/plans/service.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { openSecrets, readEnvironment } from '../../platform/config/index.ts'
import { openEmbedded } from '../../platform/storage/index.ts'
import { lockDataDir } from '../../server/operations/lock.ts'
import { createContext } from '../context.ts'
import { runProgram } from '../program.ts'

let dir: string

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-commands-'))
})

afterEach(() => {
  rmSync(dir, { recursive: true, force: true })
})

/** Runs a command line. */
async function run(line: string) {
  const out: string[] = []
  const err: string[] = []
  const output = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
  }
  const context = createContext(() => readEnvironment({ SLUGLINE_DATA_DIR: dir }), output.out)
  const status = await runProgram(line.split(' '), output, context)
  return { status, out: out.join(''), err: err.join('') }
}

/** The JSON output of a command, or its error. */
async function json(line: string) {
  const { status, out, err } = await run(`${line} --json`)
  return status === 0 ? JSON.parse(out) : { status, code: JSON.parse(err).error.code }
}

describe('keys', () => {
  test('create creates the workspace, and prints what the contract says', async () => {
    const made = await json('keys create --workspace Acme --name ci --expires 90d')
    expect(Object.keys(made)).toEqual(['id', 'key', 'prefix', 'scopes', 'expires_at'])
    expect(made.scopes).toEqual(['links:read', 'links:write'])
    expect(Date.parse(made.expires_at)).toBeGreaterThan(Date.now() + 89 * 86_400_000)
    const read = await json('keys create --workspace acme --name ro --scopes links:read')
    expect([read.scopes, read.expires_at]).toEqual([['links:read'], null])
    const { data } = await json('workspaces list')
    expect(data).toMatchObject([{ name: 'Acme', plan: 'free', usage: { api_keys: 2 } }])
  })

  test('create shows the key to people once', async () => {
    const { out } = await run('keys create --workspace Acme --name ci')
    const [key] = /slug_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}/.exec(out) ?? []
    const listed = await run('keys list')
    expect(listed.out).toContain(key?.slice(5, 13) ?? 'a key')
    expect(listed.out).not.toContain(key?.slice(14) ?? '')
  })

  test('create --plan sets the plan of a new and of an existing workspace', async () => {
    await json('keys create --workspace Acme --name ci --plan pro')
    await json('keys create --workspace acme --name ci --plan business')
    expect((await json('workspaces list')).data).toMatchObject([{ name: 'Acme', plan: 'business' }])
  })

  test('create rolls everything back when it fails', async () => {
    expect(await json('keys create --workspace Acme --name ci --plan gold')).toEqual({
      status: 1,
      code: 'UNKNOWN_PLAN',
    })
    expect(await json('keys create --workspace Acme --name ci --scopes links:all')).toEqual({
      status: 2,
      code: 'VALIDATION_FAILED',
    })
    expect((await json('workspaces list')).data).toEqual([])
    const { api_keys } = createPlans(DEFAULT_PLANS).default.limits
    for (let made = 0; made < (api_keys ?? 0); made++) {
      expect(await json('keys create --workspace Acme --name ci')).toHaveProperty('key')
    }
    expect(await json('keys create --workspace Acme --name ci')).toEqual({
      status: 1,
      code: 'PLAN_LIMIT_REACHED',
    })
  })

  test('create is a usage error without a name, or with an invalid time', async () => {
    expect((await run('keys create --workspace Acme')).status).toBe(2)
    expect((await run('keys create --name ci')).status).toBe(2)
    expect(await json('keys create --workspace Acme --name ci --expires soon')).toEqual({
      status: 2,
      code: 'USAGE',
    })
  })

  test('list is of one workspace or of all', async () => {
    const one = await json('keys create --workspace one --name a')
    await json('keys create --workspace two --name b')
    expect((await json('keys list')).data).toHaveLength(2)
    const { data } = await json('keys list --workspace ONE')
    expect(data).toMatchObject([{ id: one.id, name: 'a', workspace: { name: 'one' } }])
    expect(JSON.stringify(data)).not.toContain(one.key.slice(14))
    expect((await json('keys list --workspace three')).code).toBe('WORKSPACE_NOT_FOUND')
  })

  test('revoke takes an id, a prefix or the whole key, idempotently', async () => {
    const { id, key, prefix } = await json('keys create --workspace Acme --name ci')
    for (const ref of [prefix, id, key, `slug_${prefix}`]) {
      expect(await json(`keys revoke ${ref}`)).toMatchObject({ id, status: 'revoked' })
    }
    expect(await json('keys revoke nothing')).toEqual({ status: 1, code: 'KEY_NOT_FOUND' })
  })

  test('rotate prints the same as create', async () => {
    const old = await json('keys create --workspace Acme --name ci')
    const made = await json(`keys rotate ${old.prefix} --overlap 2h`)
    expect(Object.keys(made)).toEqual(Object.keys(old))
    const { data } = await json('keys list')
    const ends = Date.parse(data.find(({ id }: { id: string }) => id === old.id).expires_at)
    expect(Math.abs(ends - Date.now() - 7_200_000)).toBeLessThan(60_000)
    expect(await json(`keys rotate ${made.id} --overlap 1y`)).toEqual({ status: 2, code: 'USAGE' })
    expect(await json(`keys rotate ${old.id}`)).toEqual({ status: 1, code: 'KEY_ALREADY_ROTATED' })
  })

  test('work while another process has the data open, effective immediately', async () => {
    const { id, key } = await json('keys create --workspace Acme --name ci')
    const storage = await openEmbedded(dir)
    const keys = createKeyService({
      storage,
      clock: systemClock,
      ids: createIds(systemClock, systemRandom),
      random: systemRandom,
      pepper: openSecrets(dir, null).apiKeys,
      plans: createPlans(DEFAULT_PLANS),
      domains: { hostOf: String, knownTo: () => undefined },
    })
    expect(await keys.authenticate(key, '192.0.2.1')).toMatchObject({ kind: 'api_key', keyId: id })
    await json(`keys revoke ${id}`)
    expect(await keys.authenticate(key, '192.0.2.1')).toBeNull()
    await keys.close()
    await storage.close()
  })
})

describe('workspaces', () => {
  test('rename and delete', async () => {
    const made = await json('workspaces create Acme')
    await json('workspaces create Beta')
    await json('keys create --workspace Acme --name ci')
    expect(await json('workspaces rename acme BETA')).toMatchObject({
      code: 'WORKSPACE_NAME_TAKEN',
    })
    expect(await json('workspaces rename acme ACME')).toMatchObject({ id: made.id, name: 'ACME' })
    expect(await json(`workspaces rename ${made.id} Gamma`)).toMatchObject({ name: 'Gamma' })
    expect((await run('workspaces delete gamma')).status).toBe(2)
    expect((await json('workspaces delete acme --yes')).code).toBe('WORKSPACE_NOT_FOUND')
    expect(await json('workspaces delete gamma --yes')).toEqual({
      id: made.id,
      name: 'Gamma',
      deleted: true,
    })
    expect((await json('workspaces list')).data).toMatchObject([{ name: 'Beta' }])
    expect((await json('keys list')).data).toEqual([])
    const [entry] = (await json('audit --limit 1')).data
    expect(entry).toMatchObject({ action: 'workspace.deleted', actor: { type: 'command' } })
  })

  test('are created, listed and moved between plans', async () => {
    const made = await json('workspaces create Acme --plan pro')
    expect(made).toMatchObject({ name: 'Acme', plan: 'pro' })
    expect(await json('workspaces set-plan acme free')).toMatchObject({ id: made.id, plan: 'free' })
    expect((await json('workspaces list')).data).toEqual([{ ...made, plan: 'free' }])
    expect((await run('workspaces list')).out).toContain(made.id)
    expect(await json('workspaces create --name Beta')).toMatchObject({ name: 'Beta' })
  })

  test('are refused with a reason', async () => {
    await json('workspaces create Acme')
    expect(await json('workspaces create ACME')).toEqual({
      status: 1,
      code: 'WORKSPACE_NAME_TAKEN',
    })
    expect(await json('workspaces set-plan acme gold')).toEqual({ status: 1, code: 'UNKNOWN_PLAN' })
    expect((await run('workspaces set-plan acme')).status).toBe(2)
    expect((await run('workspaces create')).status).toBe(2)
    expect((await run('workspaces create Two --name Three')).status).toBe(2)
  })
})

describe('users', () => {
  test('create shows a generated password, but not a given one', async () => {
    const ann = await json('users create --email ann@example.com --workspace Acme')
    expect(ann).toMatchObject({ email: 'ann@example.com', workspace: { name: 'Acme' } })
    expect(ann.password).toHaveLength(20)
    const bob = await run('users create --email bob@example.com --password not-in-any-list --json')
    expect(bob.out).not.toContain('not-in-any-list')
    expect(Object.keys(JSON.parse(bob.out))).not.toContain('password')
    const { data } = await json('audit')
    const created = data.filter((entry: { action: string }) => entry.action === 'account.created')
    expect(created).toMatchObject(
      ['bob@example.com', 'ann@example.com'].map((label) => ({
        actor: { type: 'command' },
        target: { type: 'account', label },
      })),
    )
  })

  test('create refuses with a reason', async () => {
    await json('users create --email ann@example.com')
    expect(await json('users create --email Ann@example.com')).toEqual({
      status: 1,
      code: 'EMAIL_TAKEN',
    })
    expect(await json('users create --email ann')).toEqual({ status: 2, code: 'INVALID_EMAIL' })
    expect(await json('users create --email bob@example.com --password short')).toEqual({
      status: 2,
      code: 'VALIDATION_FAILED',
    })
    expect((await run('users create')).status).toBe(2)
  })

  test('list shows people, and how they sign in', async () => {
    expect((await run('users list')).out).toContain('There are no users')
    await json('users create --email ann@example.com --workspace Acme')
    await json('users create --email bob@example.com')
    const { data } = await json('users list')
    expect(data).toMatchObject([
      { email: 'ann@example.com', instance_owner: true, two_factor: false, workspaces: 1 },
      { email: 'bob@example.com', instance_owner: false, passkeys: 0, workspaces: 0 },
    ])
    expect((await run('users list')).out).toContain('bob@example.com')
  })

  test('join makes a person a member of a workspace created by a command', async () => {
    await json('users create --email ann@example.com')
    await json('workspaces create Acme --plan unlimited')
    expect(await json('users join ANN@example.com --workspace acme')).toMatchObject({
      email: 'ann@example.com',
      workspace: { name: 'Acme' },
      role: 'owner',
    })
    expect((await json('users list')).data).toMatchObject([{ workspaces: 1 }])
    expect((await run('audit --workspace Acme')).out).toContain('member.joined')
    const refused = (call: string) => json(`users join ${call}`)
    expect(await refused('ann@example.com --workspace acme')).toMatchObject({
      status: 1,
      code: 'ALREADY_MEMBER',
    })
    expect(await refused('eve@example.com --workspace acme')).toMatchObject({
      status: 1,
      code: 'USER_NOT_FOUND',
    })
    expect(await refused('ann@example.com --workspace none')).toMatchObject({
      status: 1,
      code: 'WORKSPACE_NOT_FOUND',
    })
    expect((await run('users join ann@example.com --workspace acme --role king')).status).toBe(2)
  })

  test('claim-link makes a new URL until there is an account', async () => {
    const first = await json('users claim-link')
    const second = await json('users claim-link')
    expect(first.url).toStartWith('http://127.0.0.1:3000/app/claim#token=')
    expect(second.url).not.toBe(first.url)
    await json('users create --email ann@example.com')
    expect(await json('users claim-link')).toEqual({ status: 1, code: 'ALREADY_CLAIMED' })
  })

  test('reset-link needs an existing person', async () => {
    await json('users create --email ann@example.com')
    const { url, expires_at } = await json('users reset-link ANN@example.com')
    expect(url).toStartWith('http://127.0.0.1:3000/app/reset-password#token=')
    expect(Date.parse(expires_at) - Date.now()).toBeWithin(3_500_000, 3_600_001)
    // The URL of the running server, whatever this shell's environment has.
    const lock = lockDataDir(dir)
    lock.listensOn('http://127.0.0.1:3000', 'https://sho.rt')
    const { url: served } = await json('users reset-link ann@example.com')
    lock.release()
    expect(served).toStartWith('https://sho.rt/app/reset-password#token=')
    expect(await json('users reset-link eve@example.com')).toEqual({
      status: 1,
      code: 'USER_NOT_FOUND',
    })
  })

  test('remove-second-factor removes it, and ends sessions', async () => {
    const { id } = await json('users create --email ann@example.com')
    const remove = () => json('users remove-second-factor Ann@example.com')
    expect(await remove()).toMatchObject({ removed: false })
    const storage = await openEmbedded(dir)
    const times = { created_at: 1, updated_at: 1, expires_at: Date.now() + 1e9 }
    await storage.write(async ({ db }) => {
      const factor = { id: 'tfa_1', user_id: id, secret: 's', backup_codes: 'b', verified: 1 }
      await db
        .insertInto('two_factors')
        .values({ ...factor, failed_verification_count: 0, locked_until: null })
        .execute()
      await db.updateTable('users').set({ two_factor_enabled: 1 }).execute()
      const session = { id: 'ses_1', user_id: id, token: 't', user_agent: null }
      await db
        .insertInto('sessions')
        .values({ ...session, ...times })
        .execute()
      const trusted = { id: 'ver_1', identifier: 'i', value: id }
      await db
        .insertInto('verifications')
        .values({ ...trusted, ...times })
        .execute()
    })
    expect((await json('users list')).data).toMatchObject([{ two_factor: true }])
    expect(await remove()).toMatchObject({ removed: true })
    expect((await json('users list')).data).toMatchObject([{ two_factor: false }])
    for (const table of ['two_factors', 'sessions', 'verifications'] as const) {
      expect(await storage.read.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
    await storage.close()
    expect(await json('users remove-second-factor eve@example.com')).toEqual({
      status: 1,
      code: 'USER_NOT_FOUND',
    })
  })
  test('make-owner hands the instance over, and delete deletes an account', async () => {
    await json('users create --email ann@example.com')
    await json('users create --email bob@example.com --workspace Acme')
    expect(await json('users delete ann@example.com')).toEqual({
      status: 1,
      code: 'INSTANCE_OWNER',
    })
    expect(await json('users make-owner BOB@example.com')).toMatchObject({ instance_owner: true })
    expect(await json('users delete Ann@example.com')).toEqual({
      email: 'ann@example.com',
      deleted: true,
    })
    expect(await json('users delete bob@example.com')).toEqual({ status: 1, code: 'SOLE_OWNER' })
    expect((await json('users list')).data).toMatchObject([
      { email: 'bob@example.com', instance_owner: true },
    ])
    for (const command of ['delete', 'make-owner']) {
      expect(await json(`users ${command} eve@example.com`)).toEqual({
        status: 1,
        code: 'USER_NOT_FOUND',
      })
    }
  })
})

test('commands that take a name report when several workspaces have it', async () => {
  const context = createContext(
    () => readEnvironment({ SLUGLINE_DATA_DIR: dir }),
    () => {},
  )
  // People may choose an existing name, but a command refuses it.
  await json('workspaces create Acme')
  expect((await json('workspaces create ACME')).code).toBe('WORKSPACE_NAME_TAKEN')
  await context.withStorage(({ storage, ids }) =>
    storage.write((tx) =>
      tx.db
        .insertInto('workspaces')
        .values({
          id: ids.next('wsp'),
          name: 'acme',
          name_key: 'acme',
          plan_id: 'free',
          created_at: 1,
        })
        .execute(),
    ),
  )
  for (const command of [
    'keys create --workspace acme --name k',
    'keys list --workspace Acme',
    'workspaces set-plan acme pro',
    'audit --workspace acme',
    'users create --email ann@example.com --workspace acme',
  ]) {
    expect([command, (await json(command)).code]).toEqual([command, 'WORKSPACE_AMBIGUOUS'])
  }
  expect((await json('users list')).data).toEqual([])
})
