import { setTimeout as wait } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import type { ShownJob } from '../jobs/schemas.ts'
import type { LinkList } from '../links/index.ts'
import { type Call, type CallQuery, get, given, jsonOf, refusal } from './call.ts'
import { folderId } from './find.ts'
import { JOB, toldJob } from './jobs.ts'
import { FILTER, filterOf, shortened } from './read-links.ts'
import { clearable, flag, texts, tool } from './tool.ts'

/** How long a call waits for its job: in all about 12 seconds. */
const WAITS_MS = [100, 200, 400, 800, 1_500, 3_000, 6_000]

/** Links shown before they are changed. */
const SAMPLES = 5

export const bulkChangeLinks = tool({
  name: 'bulk_change_links',
  title: 'Change or delete many links',
  description:
    'Change or delete all links that match a filter, such as adding a tag. First call it without ' +
    'expected_count: nothing is changed, and the result says how many links match. Then call it ' +
    'again with that number as expected_count. The filters are those of find_links; ids selects ' +
    'links by id.',
  scopes: ['links:read', 'links:write'],
  effect: 'deletes',
  input: {
    ...FILTER,
    ids: texts('The ids of the links (lnk_…).', 100, 1),
    add_tags: texts('Tags to add to each link.', 50),
    remove_tags: texts('Tags to remove from each link.', 50),
    set_folder: clearable('The name or id of the folder to move each link to.', 200),
    set_enabled: flag('false: stop redirects; true: redirect again.'),
    set_archived: flag('true: archive each link; false: bring it back into lists.'),
    set_expires_at: clearable('When each link stops redirecting (RFC 3339).', 64),
    delete: z.literal(true).optional().describe('Delete each link. Not together with changes.'),
    expected_count: z
      .int()
      .min(0)
      .optional()
      .describe('How many links match. Absent: a preview, nothing is changed.'),
  },
  output: {
    matching: z.number().describe('How many links match'),
    changed: z.boolean().describe('False: only a preview'),
    examples: z.array(z.looseObject({ id: z.string(), short_url: z.string() })).optional(),
    job: JOB.optional(),
  },
  async run(call, { ids, expected_count, add_tags, remove_tags, delete: isDeletion, ...rest }) {
    const { set_folder, set_enabled, set_archived, set_expires_at, ...filters } = rest
    const filter = { ...(await filterOf(call, filters)), ...(ids && { id: ids }) }
    if (Object.keys(filter).length === 0) {
      throw refusal('VALIDATION_FAILED', 'Give at least one filter: not all links can be changed.')
    }
    const patch = given({
      folder_id: set_folder && (await folderId(call, set_folder)),
      enabled: set_enabled,
      archived: set_archived,
      expires_at: set_expires_at,
    })
    const isPatch = Object.keys(patch).length > 0
    const change = given({
      patch: isPatch ? patch : undefined,
      add_tags,
      remove_tags,
      delete: isDeletion,
    })
    if (Object.keys(change).length === 0) throw refusal('VALIDATION_FAILED', 'Give a change.')
    if (expected_count === undefined) return preview(call, filter)
    const json = { filter, ...change, expected: expected_count }
    const job = await finished(call, call('POST', '/links/bulk/by-filter', { json }))
    return { text: toldJob(job), data: { matching: expected_count, changed: true, job } }
  },
})

async function preview(call: Call, filter: CallQuery) {
  const { data, pagination } = await get<LinkList>(call, '/links', { ...filter, limit: SAMPLES })
  const { total: matching } = pagination
  const text =
    `Nothing is changed yet: ${matching} links match. To go ahead, repeat the call with ` +
    `expected_count: ${matching}.`
  return { text, data: { matching, changed: false, examples: data.map(shortened) } }
}

/** The job when it has ended, or as it is after the longest wait. */
async function finished(call: Call, started: Promise<Response>): Promise<ShownJob> {
  let job = await jsonOf<ShownJob>(started)
  for (const ms of WAITS_MS) {
    if (job.finished_at !== null) break
    await wait(ms)
    job = await get<ShownJob>(call, `/jobs/${job.id}`)
  }
  return job
}
