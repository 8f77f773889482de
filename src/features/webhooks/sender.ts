import { type EventSignal, StorageUnavailable } from '../../platform/storage/index.ts'
import type { SenderDeps } from './context.ts'
import { createPurge } from './purge.ts'
import { dropLeases, renewLeases, takeLeases, waitingWebhooks } from './sending-store.ts'
import { WebhookWorker } from './serve.ts'

/** Without renewal, another node takes over after this time. */
const LEASE_MS = 15_000
const RENEW_MS = 4_000
/** How often a node looks for work; the signal only makes it faster. */
const POLL_MS = 1_000
/** Events of so short a time are looked for together. */
const GATHER_MS = 20
/** The most webhooks that a node serves at the same time. */
const SERVED_MAX = 2_000
const QUEUE = { survives: 'process', queue: 'webhooks' } as const

/**
 * Sends what webhooks have to send. Each is served by one node at a time, which has its lease: it
 * turns events into deliveries and sends those, so webhooks cost nothing where something is changed.
 * `nodeId`: unique among those running.
 */
export function createWebhookSender(given: SenderDeps & { nodeId?: string | undefined }) {
  const { storage, clock, logger, nodeId: owner = 'server' } = given
  const deps = { ...given, owner, counts: { succeeded: 0, failed: 0 } }
  const served = new Map<string, { worker: WebhookWorker; ended: Promise<void> }>()
  const stopping = new AbortController()
  const timers: ReturnType<typeof setInterval>[] = []
  let looking: Promise<void> | undefined
  let isAsked = false

  async function look(): Promise<void> {
    do {
      isAsked = false
      const ids = await waitingWebhooks(storage.read, clock.now(), SERVED_MAX - served.size)
      if (ids.length === 0) continue
      const taken = await storage.write((tx) => {
        const now = clock.now()
        return takeLeases(tx, ids, { owner, now, until: now + LEASE_MS })
      }, QUEUE)
      for (const { id, workspace_no } of taken) begin(id, workspace_no)
    } while (isAsked && !stopping.signal.aborted)
  }

  function begin(id: string, workspaceNo: number): void {
    if (served.has(id)) return
    const worker = new WebhookWorker(deps, id, workspaceNo, stopping.signal)
    // After a failure its lease runs out, and then a node goes on.
    const ended = worker.run().then(undefined, failed)
    served.set(id, { worker, ended })
    void ended.finally(() => served.delete(id))
  }

  function failed(err: unknown): void {
    if (!(err instanceof StorageUnavailable)) logger.warn({ err }, 'Webhooks could not be sent')
  }

  function find(): void {
    isAsked = true
    if (timers.length === 0 || stopping.signal.aborted) return
    looking ??= look()
      .catch(failed)
      .finally(() => {
        looking = undefined
      })
  }

  /** `numbers`: only those of these workspaces have something new. */
  function wake(numbers?: ReadonlySet<number>): void {
    for (const { worker } of served.values()) {
      if (numbers?.has(worker.workspaceNo) !== false) worker.wake()
    }
    find()
  }

  function renew(): void {
    if (served.size === 0) return
    const until = clock.now() + LEASE_MS
    storage.write((tx) => renewLeases(tx, [...served.keys()], owner, until), QUEUE).catch(failed)
  }

  listenGathered(given.eventSignal, wake)
  return {
    /** Requests since the start. */
    counts: deps.counts,
    /** How many webhooks this node serves now. */
    served: () => served.size,
    wake: () => wake(),
    async start(): Promise<void> {
      timers.push(setInterval(find, POLL_MS), setInterval(renew, RENEW_MS))
      for (const timer of timers) timer.unref()
      await storage.write((tx) => dropLeases(tx, owner), QUEUE).catch(failed)
      find()
    },
    /** Ends requests under way: they are sent again, by this node or others. */
    async stop(): Promise<void> {
      timers.forEach(clearInterval)
      stopping.abort()
      await looking
      await Promise.all([...served.values()].map(({ ended }) => ended))
    },
    purge: createPurge(deps),
  }
}

/** Calls back with the workspaces that have new events, some at a time. */
function listenGathered(
  signal: Pick<EventSignal, 'listen'>,
  changed: (numbers: ReadonlySet<number>) => void,
): void {
  let gathered = new Set<number>()
  let isGathering = false
  signal.listen((workspaceNo) => {
    gathered.add(workspaceNo)
    if (isGathering) return
    isGathering = true
    setTimeout(() => {
      const numbers = gathered
      gathered = new Set()
      isGathering = false
      changed(numbers)
    }, GATHER_MS)
  })
}
