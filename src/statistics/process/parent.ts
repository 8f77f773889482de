import type { FromStatistics, Retention, ToStatistics } from './messages.ts'

/** What is wanted of this process by the one that started it. */
export interface Parent {
  /** There may be something to store; whoever looks after it takes it back first. */
  poked: boolean
  /** All is to be stored, and then it ends. */
  readonly finishing: boolean
  /** Nobody wants anything any more. */
  readonly gone: boolean
  tell(message: FromStatistics): void
  /** Hears nothing more; the channel would keep the process alive. */
  leave(): void
}

/** What {@link hearParent} calls. */
export interface Hearing {
  /** Something was said. */
  heard(): void
  finish(): void
  retention(retention: Retention): void
}

/** Listens to the serving process, and to signals. */
export function hearParent({ heard, finish, retention }: Hearing): Parent {
  let finishing = false
  let gone = false

  function end(): void {
    finishing = true
    finish()
  }
  const onMessage = (message: ToStatistics) => {
    if (message.kind === 'finish') end()
    else if (message.kind === 'retention') retention(message.retention)
    else parent.poked = true
    heard()
  }
  const onDisconnect = () => {
    gone = true
    heard()
  }
  // Ctrl-C reaches the whole group: the serving process decides when we end.
  const onInterrupt = () => {}
  const onTerminate = () => {
    end()
    heard()
  }
  process.on('message', onMessage)
  process.on('disconnect', onDisconnect)
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)

  const parent: Parent = {
    poked: true,
    get finishing() {
      return finishing
    },
    get gone() {
      return gone
    },
    tell: (message) => void process.send?.(message),
    leave() {
      process.off('message', onMessage)
      process.off('disconnect', onDisconnect)
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
      if (process.connected) process.disconnect?.()
    },
  }
  return parent
}
