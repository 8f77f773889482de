import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { openTestStorage } from '../../platform/storage/testing/database.ts'
import { COMMAND_LINE } from '../audit/index.ts'
import { DEFAULT_PLANS } from '../plans/defaults.ts'
import { createPlans } from '../plans/service.ts'
import { createWorkspaceService, type WorkspaceService } from './service.ts'

const START = Date.UTC(2030, 0, 31, 9)
const clock = { now: () => START }
const plans = createPlans(DEFAULT_PLANS)

let dir: string
let storage: Storage
let workspaces: WorkspaceService

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-workspaces-'))
  storage = await openTestStorage(dir)
  workspaces = createWorkspaceService({
    storage,
    clock,
    ids: createIds(clock, systemRandom),
    plans,
  })
})

afterEach(async () => {
  await storage.close()
  rmSync(dir, { recursive: true, force: true })
})

const create = (name: string, planId?: string) =>
  storage.write((tx) => workspaces.create(tx, { name, planId }, COMMAND_LINE))
const ensure = (ref: string, planId?: string) =>
  storage.write((tx) => workspaces.ensure(tx, ref, { planId }, COMMAND_LINE))
const setPlan = (ref: string, planId: string) =>
  storage.write((tx) => workspaces.setPlan(tx, ref, planId, COMMAND_LINE))
const names = async () => (await workspaces.list()).map(({ name }) => name)
const codeOf = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error) => error.code,
  )

describe('create', () => {
  test('creates a workspace on the default plan, or on another', async () => {
    expect(await create(' Acme ')).toEqual({
      no: 1,
      id: expect.stringMatching(/^wsp_[0-9a-z]{26}$/),
      name: 'Acme',
      plan: plans.default.id,
      language: null,
      require_two_factor: false,
      slug_length: 7,
      slug_style: 'readable',
      slug_prefix: null,
      usage: { links: 0, addresses: 0, api_keys: 0, members: 0 },
      created_at: '2030-01-31T09:00:00.000Z',
    })
    expect((await create('Big', 'business')).plan).toBe('business')
    expect(await names()).toEqual(['Acme', 'Big'])
  })

  test('accepts the name of another, so as not to reveal that it exists', async () => {
    const [one, two] = [await create('Straße'), await create('STRASSE')]
    expect(one.id).not.toBe(two.id)
    expect(await workspaces.find(one.id)).toEqual(one)
    // As a reference, the name is ambiguous.
    expect(await codeOf(workspaces.find('strasse'))).toBe('WORKSPACE_AMBIGUOUS')
    expect(await codeOf(setPlan('straße', 'pro'))).toBe('WORKSPACE_AMBIGUOUS')
    expect(await codeOf(ensure('Strasse'))).toBe('WORKSPACE_AMBIGUOUS')
    expect((await setPlan(two.id, 'pro')).plan).toBe('pro')
  })

  test('refuses an unknown plan and what cannot be a name', async () => {
    expect(await codeOf(create('Acme', 'gold'))).toBe('UNKNOWN_PLAN')
    for (const name of ['', '  ', 'a'.repeat(101), 'a\nb']) {
      expect(await codeOf(create(name))).toBe('VALIDATION_FAILED')
    }
    expect(await codeOf(create(`wsp_${'a'.repeat(26)}`))).toBe('VALIDATION_FAILED')
    expect(await names()).toEqual([])
  })
})

describe('find', () => {
  test('takes an id, or a name in any case', async () => {
    const made = await create('Acme')
    expect(await workspaces.find('ACME')).toEqual(made)
    expect(await workspaces.find(made.id)).toEqual(made)
    expect(await workspaces.find('other')).toBeUndefined()
    expect(await workspaces.find(`wsp_${'a'.repeat(26)}`)).toBeUndefined()
  })
})

describe('ensure', () => {
  test('creates a missing workspace once, and leaves an existing one unchanged', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => ensure('Acme', 'pro')))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await ensure('acme')).toEqual({ ...(all[0] as object), plan: 'pro' } as never)
    expect(await names()).toEqual(['Acme'])
  })

  test('moves an existing workspace to the given plan', async () => {
    const { id } = await create('Acme')
    expect((await ensure(id, 'pro')).plan).toBe('pro')
    expect((await workspaces.find('Acme'))?.plan).toBe('pro')
  })

  test('refuses an unknown id instead of taking it for a name', async () => {
    expect(await codeOf(ensure(`wsp_${'a'.repeat(26)}`))).toBe('WORKSPACE_NOT_FOUND')
    expect(await names()).toEqual([])
  })
})

describe('setPlan', () => {
  test('moves a workspace to a plan, by id and by name', async () => {
    const { id } = await create('Acme')
    expect((await setPlan('acme', 'pro')).plan).toBe('pro')
    expect((await setPlan(id, 'business')).plan).toBe('business')
    expect((await workspaces.find(id))?.plan).toBe('business')
  })

  test('refuses an unknown plan and an unknown workspace', async () => {
    await create('Acme')
    expect(await codeOf(setPlan('acme', 'gold'))).toBe('UNKNOWN_PLAN')
    expect(await codeOf(setPlan('other', 'pro'))).toBe('WORKSPACE_NOT_FOUND')
  })
})
