import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { childOf } from '../../../test/harness/children.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { copyMigrated } from '../../platform/storage/testing/database.ts'
import { openSite, type Site } from '../../redirect/testing/site.ts'
import { Supervisor } from './supervisor.ts'

const WORKER = join(import.meta.dir, '../testing/worker-main.ts')
let dir: string
let site: Site

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-supervisor-'))
  await copyMigrated(dir)
  site = await openSite(dir)
})

afterEach(async () => {
  await site.close()
  rmSync(dir, { recursive: true, force: true })
})

const supervise = (command: string[]) =>
  new Supervisor({
    name: 'click worker',
    command,
    journal: site.journal,
    watermark: { segment: 0, offset: 0 },
    clock: systemClock,
  })

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await Bun.sleep(10)
}

test('starts a worker when there is something to count, and reports its progress', async () => {
  const seq = await site.addLink({ slug: 'a' })
  expect(site.supervisor.state()).toMatchObject({ running: false, backlogBytes: 0 })
  await site.visit('/a')
  expect(site.supervisor.state().backlogBytes).toBeGreaterThan(0)
  site.supervisor.wake()
  await until(() => site.supervisor.state().backlogBytes === 0)
  expect(await site.countersOf(seq)).toMatchObject({ human: 1 })
  expect(site.supervisor.state()).toMatchObject({
    running: true,
    watermark: site.journal.position,
    backlogSeconds: 0,
    restarts: 0,
  })
})

test('counts clicks left by an earlier process, with a lower priority in each of its threads', async () => {
  const seq = await site.addLink({ slug: 'a' })
  await site.visit('/a')
  const supervisor = supervise([process.execPath, WORKER, dir, '15000', '7'])
  await until(async () => (await site.countersOf(seq))?.human === 1)
  const worker = childOf(process.pid, WORKER as `/${string}`)
  const threads = readdirSync(`/proc/${worker}/task`).map(Number)
  expect(threads.length).toBeGreaterThan(1)
  expect(threads.filter((thread) => getPriority(thread) < 7)).toEqual([])
  await supervisor.stop()
})

test('an idle worker ends, and is started again when needed', async () => {
  const seq = await site.addLink({ slug: 'a' })
  await site.visit('/a')
  const supervisor = supervise([process.execPath, WORKER, dir, '20'])
  for (const people of [1, 2]) {
    await until(async () => (await site.countersOf(seq))?.human === people)
    await until(() => !supervisor.state().running)
    await site.visit('/a')
    supervisor.wake()
  }
  expect(supervisor.state().restarts).toBe(0)
  await supervisor.stop()
})

test('a worker that dies is restarted', async () => {
  const supervisor = supervise([process.execPath, '-e', 'process.exit(3)'])
  supervisor.wake()
  await until(() => supervisor.state().restarts >= 2)
  await supervisor.stop()
})

test('stopping waits until everything is counted', async () => {
  const seq = await site.addLink({ slug: 'a' })
  await site.visit('/a')
  site.supervisor.wake()
  await until(() => site.supervisor.state().running)
  await Promise.all(Array.from({ length: 500 }, () => site.visit('/a')))
  await site.supervisor.stop()
  expect(await site.countersOf(seq)).toMatchObject({ human: 501 })
  expect(site.supervisor.state().running).toBe(false)
})
