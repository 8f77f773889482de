/** Ctrl+C, as a terminal sends it. */
export const CTRL_C = '\x03'

/** A program on a separate terminal. */
export interface OnTerminal {
  /** Types keys. */
  type(keys: string): void
  /** Waits until the terminal shows a text. */
  shows(text: string): Promise<void>
  /** Its exit status, and everything that the terminal has shown. */
  ended: Promise<{ status: number; shown: string }>
}

/** Runs a program on a terminal. */
export function onTerminal(command: string[], env: Record<string, string>): OnTerminal {
  const decoder = new TextDecoder()
  let shown = ''
  let look = () => {}
  const child = Bun.spawn(command, {
    env: { ...env, TERM: 'xterm' },
    terminal: {
      ...{ cols: 100, rows: 30 },
      data(_, bytes) {
        shown += decoder.decode(bytes, { stream: true })
        look()
      },
    },
  })
  const ended = child.exited.then((status) => {
    child.terminal?.close()
    look()
    return { status, shown }
  })
  return {
    ended,
    type: (keys) => void child.terminal?.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (shown.includes(text)) resolve()
          else if (child.exitCode !== null) reject(new Error(`It never shows ${text}: ${shown}`))
        }
        look()
      }),
  }
}
