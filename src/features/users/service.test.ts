import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import { openTestStorage } from '../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { createPlans } from '../plans/service.ts'
import { createWorkspaceService, type WorkspaceService } from '../workspaces/service.ts'
import { createUserService, type UserService } from './service.ts'

const PASSWORD = 'correct horse battery'
const clock = { now: () => Date.UTC(2030, 0, 31, 9) }
const ids = createIds(clock, systemRandom)

let dir: string
let storage: Storage
let workspaces: WorkspaceService
let users: UserService

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-users-'))
  storage = await openTestStorage(dir)
  workspaces = createWorkspaceService({ storage, clock, ids, plans: createPlans(DEFAULT_PLANS) })
  users = createUserService({ storage, clock, ids, random: systemRandom })
})

afterEach(async () => {
  await storage.close()
  rmSync(dir, { recursive: true, force: true })
})

const joinAcme = async (tx: Transaction, user: { id: string; email: string }) => {
  const acme = await workspaces.ensure(tx, 'Acme', {}, COMMAND_LINE)
  await workspaces.join(tx, acme, user, 'owner', COMMAND_LINE)
}
const rows = () => storage.read.db.selectFrom('users').selectAll().orderBy('id').execute()
const hashes = async () =>
  (await storage.read.db.selectFrom('accounts').selectAll().execute()).map(
    (row) => row.password_hash ?? '',
  )
const errorOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error,
  )

describe('create', () => {
  test('keeps the address as written and the password as argon2id', async () => {
    const user = await users.create({ email: 'Ann@Example.com', password: PASSWORD, name: ' Ann ' })
    expect(user).toEqual({
      id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
      email: 'Ann@Example.com',
      name: 'Ann',
      generatedPassword: null,
    })
    const [hash = ''] = await hashes()
    expect(hash).toStartWith('$argon2id$')
    expect(await Bun.password.verify(PASSWORD, hash)).toBe(true)
  })

  test('generates a working password if none is given', async () => {
    const { generatedPassword } = await users.create({ email: 'ann@example.com' })
    const [hash = ''] = await hashes()
    expect(generatedPassword).toMatch(/^[0-9A-Za-z]{20}$/)
    expect(await Bun.password.verify(generatedPassword ?? '', hash)).toBe(true)
  })

  test('makes only the first person owner of the instance', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        users.create({ email: `${name}@example.com`, password: PASSWORD }),
      ),
    )
    expect((await rows()).map((row) => row.instance_owner).sort()).toEqual([0, 0, 1])
  })

  test('accepts an address once, regardless of case', async () => {
    const attempts = await Promise.allSettled(
      ['ann@example.com', 'ANN@example.com', 'Ann@Example.Com'].map((email) =>
        users.create({ email, password: PASSWORD }),
      ),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const attempt of attempts) {
      if (attempt.status === 'rejected') expect(attempt.reason.code).toBe('EMAIL_TAKEN')
    }
  })

  test('refuses invalid addresses, and passwords and names out of bounds', async () => {
    for (const email of ['', 'ann', 'ann@', '@example.com', 'a b@example.com', 'a@b@example.com']) {
      expect((await errorOf(users.create({ email, password: PASSWORD })))?.code).toBe(
        'INVALID_EMAIL',
      )
    }
    const faults = async (password: string, name?: string) =>
      (await errorOf(users.create({ email: 'ann@example.com', password, name }))).details.map(
        (detail: { field: string; code: string }) => [detail.field, detail.code],
      )
    expect(await faults('123456789')).toEqual([['password', 'TOO_SHORT']])
    expect(await faults('a'.repeat(129), 'a'.repeat(101))).toEqual([
      ['password', 'TOO_LONG'],
      ['name', 'TOO_LONG'],
    ])
    expect(await rows()).toEqual([])
  })

  test('runs `also` in the same transaction', async () => {
    const ann = await users.create({ email: 'a@example.com', password: PASSWORD }, joinAcme)
    const members = await storage.read.db.selectFrom('members').selectAll().execute()
    expect(members.map(({ user_id, role }) => [user_id, role])).toEqual([[ann.id, 'owner']])
  })

  test('refuses common passwords, and one’s own address', async () => {
    const email = 'annabelle.long@example.com'
    const common = ['password123', 'QWERTYUIOP', '1q2w3e4r5t', 'aaaaaaaaaaaa', 'ababababab']
    for (const password of [...common, email, 'Annabelle.Long']) {
      const error = await errorOf(users.create({ email, password }))
      expect(error?.details).toEqual([{ field: 'password', code: 'COMMON_PASSWORD' }])
    }
    expect(await rows()).toEqual([])
    await users.create({ email, password: 'not in any list' })
  })

  test('stops at the limit of the plan, and then creates no one', async () => {
    const attempts = await Promise.allSettled(
      ['a', 'b', 'c'].map((name) =>
        users.create({ email: `${name}@example.com`, password: PASSWORD }, joinAcme),
      ),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const error = await errorOf(
      users.create({ email: 'd@example.com', password: PASSWORD }, joinAcme),
    )
    expect(error.code).toBe('PLAN_LIMIT_REACHED')
    expect(error.details).toEqual([
      { field: 'members', code: 'MEMBERS_LIMIT', params: { limit: 1 } },
    ])
    expect(await rows()).toHaveLength(1)
    expect((await workspaces.find('acme'))?.usage.members).toBe(1)
  })
})
