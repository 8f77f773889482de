/** After so many links of a large transaction others get their turn: visits must not wait for all of them. */
export const TURN = 16

/** Lets what waits for the event loop go first. */
export const othersTurn = () => new Promise<void>((turn) => setImmediate(turn))
