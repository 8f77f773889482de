import type { Storage } from './storage.ts'

/** Tells of workspaces whose feed has new events. Messages may be lost: readers poll as well. */
export type EventSignal = ReturnType<typeof createEventSignal>

export function createEventSignal() {
  const listeners = new Set<(workspaceNo: number) => void>()
  return {
    emit(workspaceNo: number): void {
      for (const listener of listeners) listener(workspaceNo)
    },
    listen: (listener: (workspaceNo: number) => void) => void listeners.add(listener),
  }
}

/** A storage that tells, after the commit, of the workspaces in which events were recorded. */
export function announcingEvents<S extends Pick<Storage, 'write'>>(
  storage: S,
  announce: (workspaceNo: number) => void,
): S {
  const write: Storage['write'] = (work, options) =>
    storage.write((tx) => {
      const notified = new Set<number>()
      tx.eventRecorded = (workspaceNo) => {
        if (notified.has(workspaceNo)) return
        notified.add(workspaceNo)
        tx.afterCommit(() => announce(workspaceNo))
      }
      return work(tx)
    }, options)
  return { ...storage, write }
}
