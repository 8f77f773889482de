import { ApiError } from '../api/errors.ts'

/** A long task that continues while the person uses other pages. */
export interface Job {
  id: number
  /** The title while it runs, such as "Deleting links". */
  title: string
  /** The title afterwards: "Links deleted". */
  doneTitle: string
  total: number
  done: number
  failed: number
  /** The first failure. */
  error: unknown
  state: 'running' | 'done' | 'stopped'
  /** Undoes it. */
  undo?: () => void
}

interface JobInput<T> {
  title: string
  doneTitle: string
  items: readonly T[]
  run: (item: T) => Promise<unknown>
  /** Called with the items that succeeded. */
  onEnd?: (succeeded: T[]) => void
  /** Undoes the items that succeeded. */
  undo?: (succeeded: T[]) => void
}

/** How long a success is shown; a failure stays until it is dismissed. */
const SUCCESS_SHOWN_MS = 10_000
/** Concurrent requests: fast, with room for the person's own. */
const AT_ONCE = 4
const TRIES = 5

let jobs: readonly Job[] = []
let nextId = 1
const listeners = new Set<() => void>()

function change(id: number, change: Partial<Job>): void {
  jobs = jobs.map((job) => (job.id === id ? { ...job, ...change } : job))
  for (const listener of listeners) listener()
}

/** For `useSyncExternalStore`. */
export const jobStore = {
  subscribe(listener: () => void) {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  get: () => jobs,
}

export function dismissJob(id: number): void {
  jobs = jobs.filter((job) => job.id !== id)
  for (const listener of listeners) listener()
}

export function stopJob(id: number): void {
  change(id, { state: 'stopped' })
}

const current = (id: number) => jobs.find((job) => job.id === id)

/** Runs a task for many items, some concurrently. Never rejects: the job has the result. */
export async function startJob<T>(input: JobInput<T>): Promise<void> {
  const id = nextId++
  const { title, doneTitle, items } = input
  const job: Job = {
    id,
    title,
    doneTitle,
    total: items.length,
    done: 0,
    failed: 0,
    error: null,
    state: 'running',
  }
  jobs = [...jobs, job]
  change(id, {})

  const queue = [...items]
  const succeeded: T[] = []
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', warn)

  async function work(): Promise<void> {
    for (;;) {
      const now = current(id)
      const item = queue.shift()
      if (item === undefined || now === undefined || now.state !== 'running') return
      try {
        await patiently(() => input.run(item))
        succeeded.push(item)
        change(id, { done: (current(id)?.done ?? 0) + 1 })
      } catch (error) {
        const { failed = 0, error: first } = current(id) ?? {}
        change(id, { failed: failed + 1, error: first ?? error })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  window.removeEventListener('beforeunload', warn)
  input.onEnd?.(succeeded)
  if ((current(id)?.failed ?? 0) === 0) setTimeout(() => dismissJob(id), SUCCESS_SHOWN_MS)
  const { undo } = input
  const state = current(id)?.state === 'stopped' ? 'stopped' : 'done'
  change(id, {
    state,
    ...(undo && succeeded.length > 0
      ? {
          undo: () => {
            dismissJob(id)
            undo(succeeded)
          },
        }
      : {}),
  })
}

/** Retries after the time that the server demands. */
async function patiently(run: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await run()
      return
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfterSeconds : null
      if (wait === null || attempt === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * 1000))
    }
  }
}
