import type { FromWorker, ToWorker } from './messages.ts'

/** The serving process, from its worker's view. */
export type Parent = ReturnType<typeof listenToParent>

/** Sends a message to the serving process, if there is one. */
export function sendToParent<R>(message: FromWorker<R>): void {
  process.send?.(message)
}

/** Listens to the serving process and to signals. */
export function listenToParent<N>(onNotice: (notice: N) => void) {
  let wakeSleeper = () => {}
  const handlers = {
    message(message: ToWorker<N>) {
      if (message.kind === 'finish') parent.finishing = true
      else if (message.kind === 'notice') onNotice(message.notice)
      parent.woken = true
      wakeSleeper()
    },
    disconnect() {
      parent.gone = true
      wakeSleeper()
    },
    // Ctrl-C reaches the whole process group. The serving process decides when its workers end.
    SIGINT() {},
    SIGHUP() {},
    SIGTERM() {
      parent.finishing = true
      wakeSleeper()
    },
  }
  for (const [event, handler] of Object.entries(handlers)) process.on(event, handler)
  const parent = {
    /** The journal may have new clicks. The worker resets it before it reads. */
    woken: true,
    /** The worker shall read to the journal's end and then end. */
    finishing: false,
    /** The serving process has ended. */
    gone: false,
    /** Resolves after `ms`, or earlier if a message or signal arrives and `early` is true. */
    sleep(ms: number, early: () => boolean): Promise<void> {
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
    /** Stops listening; an open channel would keep the process alive. */
    disconnect(): void {
      for (const [event, handler] of Object.entries(handlers)) process.off(event, handler)
      if (process.connected) process.disconnect?.()
    },
  }
  return parent
}
