/** How long one turn of the event loop works for a request while others wait. */
const TURN_MS = 8

/** Yields to the event loop. */
export const nextTurn = () => new Promise<void>((turn) => setImmediate(turn))

/** Makes a function for long loops: called between steps, it yields once a turn has lasted long. */
export function createPause(): () => Promise<void> {
  let began = performance.now()
  return async () => {
    if (performance.now() - began < TURN_MS) return
    await nextTurn()
    began = performance.now()
  }
}
