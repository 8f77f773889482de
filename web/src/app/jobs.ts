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
  /** Does some items with one request. Returns the error of each, null if there is none. */
  run: (items: readonly T[]) => Promise<readonly unknown[]>
  onEnd?: () => void
  /** How the whole is undone; undefined if nothing was changed. */
  undo?: () => (() => void) | undefined
}

/** How long a success is shown; a failure stays until it is dismissed. */
const SUCCESS_SHOWN_MS = 10_000
/** Items of a request: the most that the API takes. */
const BATCH = 1_000
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

/** Runs a task for many items. Never rejects: the job has the result. */
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

  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', warn)
  for (let at = 0; at < items.length && current(id)?.state === 'running'; at += BATCH) {
    const some = items.slice(at, at + BATCH)
    const errors = await patiently(() => input.run(some)).catch((error: unknown) =>
      some.map(() => error),
    )
    const { done = 0, failed = 0, error: first } = current(id) ?? {}
    const bad = errors.filter((error) => error !== null)
    change(id, {
      done: done + some.length - bad.length,
      failed: failed + bad.length,
      error: first ?? bad[0] ?? null,
    })
  }
  window.removeEventListener('beforeunload', warn)
  input.onEnd?.()
  if ((current(id)?.failed ?? 0) === 0) setTimeout(() => dismissJob(id), SUCCESS_SHOWN_MS)
  const undo = input.undo?.()
  const state = current(id)?.state === 'stopped' ? 'stopped' : 'done'
  change(id, {
    state,
    ...(undo && {
      undo: () => {
        dismissJob(id)
        undo()
      },
    }),
  })
}

/** Retries after the time that the server demands. */
async function patiently<R>(run: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      const wait = error instanceof ApiError ? error.retryAfterSeconds : null
      if (wait === null || attempt === TRIES) throw error
      await new Promise((resolve) => setTimeout(resolve, wait * 1000))
    }
  }
}
