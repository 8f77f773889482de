/**
 * How long it takes to rename, merge and delete a tag that many links have, and what visitors notice
 * of it. Each link of the workspace has one of three tags: by default each tag 50,000 links.
 * Usage: bin/bun bench/tags.ts [--links 150000] [--rounds 10] [--postgres]
 */
import { parseArgs } from 'node:util'
import { startSlugline } from '../test/harness/process.ts'
import { machine, median, versionOf } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { seedLinks } from './lib/seed.ts'
import { seedPostgres } from './lib/seed-postgres.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '150000' },
    rounds: { type: 'string', default: '10' },
    postgres: { type: 'boolean', default: false },
  },
})
const links = Number(values.links)
const rounds = Number(values.rounds)
const tools = { wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/) }
const dir = temporaryDirectory()

const scaled = values.postgres ? await startScaled() : null
let slugline = await startSlugline({ ...scaled?.env }, { dataDir: dir })
const { key } = await slugline.createKey()
await slugline.stop()
const seed = { workspaceNo: 1, links, tags: 3 }
if (scaled === null) seedLinks(dir, seed)
else await seedPostgres(scaled.databaseUrl, seed)
slugline = await startSlugline({ LOG_LEVEL: 'error', ...scaled?.env }, { dataDir: dir })

interface Tag {
  id: string
  name: string
  links: number
}

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body && { body }) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (answer.status === 204 ? null : await answer.json()) as T
}

/** Milliseconds. */
async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const listed: number[] = []
let tags: Tag[] = []
for (let round = 0; round < rounds; round++) {
  listed.push(
    await time(async () => {
      tags = (await send<{ data: Tag[] }>('GET', '/tags?limit=100')).data
    }),
  )
}
const visits = { url: slugline.url, connections: 8, core: 1, script: visitorScript(links) }
const quiet = await runLoad({ ...visits, seconds: 5 })
const renamed: number[] = []
const [first, second, third] = tags as [Tag, Tag, Tag]
const busy = runLoad({ ...visits, seconds: 5 })
for (let round = 0; round < rounds; round++) {
  renamed.push(await time(() => send('PATCH', `/tags/${first.id}`, { name: `renamed ${round}` })))
  await Bun.sleep(200)
}
const merged = await time(() => send('POST', `/tags/${first.id}/merge`, { into: second.id }))
const found = await time(() => send('GET', `/links?tag=${second.name}`))
const deleted = await time(() => send('DELETE', `/tags/${third.id}`))
const meanwhile = await busy

console.log(machine(tools))
console.log(`${links} links, ${first.links} with the tag; milliseconds`)
console.table({
  'list of all tags, counted': { median: median(listed), worst: Math.max(...listed) },
  'rename, counted': { median: median(renamed), worst: Math.max(...renamed) },
  merge: { median: merged, worst: merged },
  'list by the merged tag': { median: found, worst: found },
  delete: { median: deleted, worst: deleted },
})
console.table({ quiet, meanwhile })
await slugline.stop()
await scaled?.dispose()
