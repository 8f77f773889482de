import { PAIRS } from '../lib/base/ids.ts'

/**
 * Request ids for the many answers of one turn of the event loop: one id a turn, counted on in its
 * last two characters, for a third of the cost of a new id for each answer. They stay unique,
 * because the ids that `requestId` makes differ before those (in time or counter), and what it made
 * is used for nothing else.
 */
export class TurnIds {
  #head = ''
  #given = PAIRS.length

  constructor(private readonly requestId: () => string) {}

  startTurn(): void {
    this.#given = PAIRS.length
  }

  next(): string {
    if (this.#given === PAIRS.length) {
      this.#head = this.requestId().slice(0, -2)
      this.#given = 0
    }
    return this.#head + PAIRS[this.#given++]
  }
}
