const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const PAIRS = Array.from(ALPHABET, (high) => Array.from(ALPHABET, (low) => high + low)).flat()

/** Request ids for the many answers of one turn of the event loop. */
export interface TurnIds {
  startTurn(): void
  next(): string
}

/**
 * Makes one id a turn and counts on in its last two characters, in order: a third of the cost of
 * a new id for each answer. They stay unique, because the ids that `requestId` makes differ before
 * those (in time or counter), and what it made is used for nothing else.
 */
export function createTurnIds(requestId: () => string): TurnIds {
  let head = ''
  let given = PAIRS.length
  return {
    startTurn() {
      given = PAIRS.length
    },
    next() {
      if (given === PAIRS.length) {
        head = requestId().slice(0, -2)
        given = 0
      }
      return head + (PAIRS[given++] as string)
    },
  }
}
