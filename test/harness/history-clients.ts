import type * as history from './history.ts'
import { callUntilKnown, type HistoryRequest, type KnownCall, type Nodes } from './history-calls.ts'

const SLUGS = 3
/** After so many requests there are other slugs, so that no history is long. */
const SLUG_REQUESTS = 150
/** Of the links of {@link crowd}. */
export const MAX_CLICKS = 20
/** Between two requests of a client. */
const PAUSE_MS = 10
const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
/** How many requests without an answer aren't repeated, each time. */
const FORGOTTEN = 0.05

type Random = () => number

/** What is known of a run so far. */
export interface HistoryState {
  name: string
  key: string
  nodes: Nodes
  isOver: boolean
  /** Numbers links, destinations and keys. */
  count: number
  operations: history.SlugOperation[]
  visits: (history.Visit & { at: number })[]
  places: history.PlaceOperation[]
  limited: history.LimitedVisit[][]
  answers: Map<string, string[]>
  /** The last known link of each slug. */
  current: Map<string, history.Link>
  unexpected: string[]
  repeated: number
}

/** Until the run is over. */
export async function repeat(run: HistoryState, step: () => Promise<void>): Promise<void> {
  while (!run.isOver) {
    await step()
    await Bun.sleep(PAUSE_MS)
  }
}

function slugOf(run: HistoryState, random: Random): string {
  const age = Math.floor(run.operations.length / SLUG_REQUESTS)
  return `${run.name}-${age}-${Math.floor(random() * SLUGS)}`
}

interface LinkBody {
  external_id: string
  destination_url: string
  version: number
}

const linkOf = ({ external_id, destination_url, version }: LinkBody): history.Link => ({
  ...{ made: external_id, url: destination_url, version },
})

/** What a refusal says about a slug. */
const OUTCOMES: Readonly<Record<string, history.SlugOperation['outcome']>> = {
  LINK_NOT_FOUND: 'absent',
  SLUG_TAKEN: 'taken',
  PRECONDITION_FAILED: 'changed',
}

/** A request about a slug. */
export async function write(run: HistoryState, random: Random): Promise<void> {
  const slug = slugOf(run, random)
  const current = run.current.get(slug)
  const made = current?.made ?? `${run.name}.none`
  const url = `https://example.com/${run.name}/${run.count++}`
  const chance = random()
  if (chance < 0.3) return look(run, slug, run.nodes.any(random))
  if (chance < 0.5) {
    const body = { slug, destination_url: url, external_id: `${run.name}.${run.count++}` }
    const link = { made: body.external_id, url }
    return change(run, random, { slug, kind: 'create', link }, 'POST', '/links', body)
  }
  const path = `/links/external/${made}`
  if (chance < 0.65) {
    return change(run, random, { slug, kind: 'delete', link: { made, url } }, 'DELETE', path)
  }
  const ifVersion = random() < 0.3 ? current?.version : undefined
  const operation = { slug, kind: 'patch', link: { made, url }, ifVersion } as const
  return change(run, random, operation, 'PATCH', path, { destination_url: url })
}

type Change = Pick<history.SlugOperation, 'slug' | 'kind' | 'ifVersion'> & { link: history.Link }

async function change(
  run: HistoryState,
  random: Random,
  operation: Change,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const { ifVersion } = operation
  const headers: Record<string, string> = {}
  if (ifVersion !== undefined) headers['If-Match'] = `"${ifVersion}"`
  const request = { method, path: `/api/v1${path}`, key: run.key, headers, ...(body && { body }) }
  const call = await send(run, random, request)
  const { invoked, returned, node, answer } = call
  if (call.isOpen) {
    const outcome = 'unknown'
    run.operations.push({
      ...operation,
      invoked,
      returned: Number.POSITIVE_INFINITY,
      node,
      outcome,
    })
  }
  if (answer === undefined) return
  const found = answer.body as LinkBody | null
  if (answer.isOk) {
    const link = found === null ? operation.link : linkOf(found)
    if (found !== null) run.current.set(operation.slug, link)
    run.operations.push({ ...operation, link, invoked, returned, node, outcome: 'done' })
    return
  }
  const outcome = OUTCOMES[answer.code]
  if (outcome !== undefined) run.operations.push({ ...operation, invoked, returned, node, outcome })
  else run.unexpected.push(`${method} ${path}: ${answer.status} ${answer.code}`)
}

/** A request with an idempotency key, now and then at several nodes at the same time. */
async function send(
  run: HistoryState,
  random: Random,
  request: HistoryRequest,
): Promise<KnownCall> {
  const name = `${run.name}:${run.count++}`
  const headers = { ...request.headers, 'Idempotency-Key': name }
  const twins = random() < 0.2 ? 2 : 1
  const call = await callUntilKnown(run.nodes, { ...request, headers }, random, {
    twins,
    patience: () => !run.isOver && random() > FORGOTTEN,
  })
  run.repeated += call.attempts - 1
  run.answers.set(name, call.texts)
  return call
}

async function look(run: HistoryState, slug: string, at: number): Promise<void> {
  const path = `/api/v1/links/lookup?url=${encodeURIComponent(`http://sho.rt/${slug}`)}`
  const { invoked, returned, node, answer } = await run.nodes.call(at, { path, key: run.key })
  if (answer === undefined || answer.status === 503) return
  if (!answer.isOk && answer.code !== 'LINK_NOT_FOUND') {
    run.unexpected.push(`GET ${path}: ${answer.status} ${answer.code}`)
    return
  }
  const link = answer.isOk ? linkOf(answer.body as LinkBody) : null
  if (link !== null) run.current.set(slug, link)
  run.operations.push({ slug, kind: 'get', link, invoked, returned, node, outcome: 'done' })
}

/** A visit of some slug, at some node. */
export async function visit(run: HistoryState, random: Random): Promise<void> {
  await visitOf(run, slugOf(run, random), run.nodes.any(random))
}

async function visitOf(run: HistoryState, slug: string, at: number): Promise<void> {
  const call = await run.nodes.call(at, { path: `/${slug}`, headers: BROWSER })
  const { invoked, returned, node, answer } = call
  if (answer === undefined || answer.status === 503) return
  if (answer.status !== 302 && answer.status !== 404) {
    run.unexpected.push(`GET /${slug}: ${answer.status} ${answer.code}`)
    return
  }
  run.visits.push({ slug, url: answer.location, invoked, returned, node, at, isBound: false })
}

/** Creates and deletes links of the workspace with few places. */
export async function takePlaces(run: HistoryState, random: Random, key: string): Promise<void> {
  const mine: string[] = []
  await repeat(run, async () => {
    const isDelete = mine.length > 0 && random() < 0.5
    const kind = isDelete ? 'delete' : 'create'
    const id = isDelete ? (mine.shift() as string) : `${run.name}.${run.count++}`
    const body = { destination_url: 'https://example.com/', external_id: id }
    const request = isDelete
      ? { method: 'DELETE', path: `/api/v1/links/external/${id}`, key }
      : { method: 'POST', path: '/api/v1/links', key, body }
    const { invoked, returned, isOpen, answer } = await send(run, random, request)
    const add = (outcome: history.PlaceOperation['outcome'], until = returned) =>
      run.places.push({ kind, outcome, invoked, returned: until })
    if (isOpen) add('unknown', Number.POSITIVE_INFINITY)
    if (answer?.isOk) {
      add('done')
      if (!isDelete) mine.push(id)
    } else if (answer?.code === 'PLAN_LIMIT_REACHED') {
      add('refused')
    } else if (answer !== undefined) {
      run.unexpected.push(`${request.method} ${request.path}: ${answer.status} ${answer.code}`)
    }
  })
}

const OF_LIMITED: Readonly<Record<number, history.LimitedVisit['outcome']>> = {
  302: 'redirected',
  410: 'refused',
}

/** Visitors of a link that only some of them may follow. */
export async function crowd(run: HistoryState, random: Random): Promise<void> {
  const slug = `${run.name}-max-${run.count++}`
  const body = { slug, destination_url: 'https://example.com/', max_clicks: MAX_CLICKS }
  const request = { method: 'POST', path: '/api/v1/links', key: run.key, body }
  const { answer } = await send(run, random, request)
  if (!answer?.isOk) return
  const visits: history.LimitedVisit[] = []
  run.limited.push(visits)
  const people = Array.from({ length: 4 }, async () => {
    for (let refused = 0; refused < 2 && !run.isOver; ) {
      const at = run.nodes.any(random)
      const call = await run.nodes.call(at, { path: `/${slug}`, headers: BROWSER })
      const outcome = OF_LIMITED[call.answer?.status ?? 0] ?? 'unknown'
      visits.push({ invoked: call.invoked, returned: call.returned, outcome })
      if (outcome === 'refused') refused++
      await Bun.sleep(PAUSE_MS)
    }
  })
  await Promise.all(people)
}

/** Every slug as each node has it in the end. */
export async function lookAtAll(run: HistoryState): Promise<void> {
  const slugs = [...new Set(run.operations.map(({ slug }) => slug))]
  for (const slug of slugs) {
    await Promise.all(run.nodes.all.map((_, at) => look(run, slug, at)))
    await Promise.all(run.nodes.all.map((_, at) => visitOf(run, slug, at)))
  }
}
