/** Links of a large transaction after which visits are served in between. */
export const TURN = 16

/** Yields to the event loop. */
export const othersTurn = () => new Promise<void>((turn) => setImmediate(turn))
