import type { HashQueue } from '../limits/index.ts'

/** Lets sign-ins and what else hashes a person's password into the queue of all such work. */
export interface Gate {
  /**
   * @param group Groups take turns: the client's address (of IPv6 the /64), or the person.
   * @throws AppError SERVICE_UNAVAILABLE when too many wait already.
   */
  pass<T>(work: () => Promise<T>, group?: string): Promise<T>
}

/** The gate to a queue. */
export function createGate(hashes: HashQueue): Gate {
  return { pass: (work, group = '') => hashes.run('signIn', group, work) }
}
