import type { FromWorker, ToWorker } from './messages.ts'

/** The serving process as its worker sees it. */
export interface Parent {
  /** The journal may hold something new. The worker resets it before it looks. */
  woken: boolean
  /** The worker is to read to the journal's end and then to end. */
  readonly finishing: boolean
  /** The serving process has ended. */
  readonly gone: boolean
  /** Resolves after `ms`, or earlier when a message or signal arrives and `early` is true. */
  sleep(ms: number, early: () => boolean): Promise<void>
  /** Stops listening; an open channel would keep the process alive. */
  disconnect(): void
}

/** Sends a message to the serving process, if there is one. */
export function sendToParent<R>(message: FromWorker<R>): void {
  process.send?.(message)
}

/** Listens to the serving process and to signals. */
export function listenToParent<N>(onNotice: (notice: N) => void): Parent {
  let finishing = false
  let gone = false
  let wakeSleeper = () => {}
  const handlers = {
    message(message: ToWorker<N>) {
      if (message.kind === 'finish') finishing = true
      else if (message.kind === 'notice') onNotice(message.notice)
      parent.woken = true
      wakeSleeper()
    },
    disconnect() {
      gone = true
      wakeSleeper()
    },
    // Ctrl-C reaches the whole process group. The serving process decides when its workers end.
    SIGINT() {},
    SIGTERM() {
      finishing = true
      wakeSleeper()
    },
  }
  for (const [event, handler] of Object.entries(handlers)) process.on(event, handler)
  const parent: Parent = {
    woken: true,
    get finishing() {
      return finishing
    },
    get gone() {
      return gone
    },
    sleep(ms, early) {
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          wakeSleeper = () => {}
          resolve()
        }
        const timer = setTimeout(end, Math.max(0, ms))
        wakeSleeper = () => {
          if (early()) end()
        }
      })
    },
    disconnect() {
      for (const [event, handler] of Object.entries(handlers)) process.off(event, handler)
      if (process.connected) process.disconnect?.()
    },
  }
  return parent
}
