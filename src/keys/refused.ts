/** Why something can't be done with a key. */
export type KeyRefusal =
  | 'KEY_NOT_FOUND'
  | 'KEY_REVOKED'
  | 'KEY_EXPIRED'
  | 'KEY_ALREADY_ROTATED'
  /** The key that this one replaced still works, and a slot holds two living keys at most. */
  | 'PREDECESSOR_LIVES'
  | 'INVALID_OVERLAP'

/** Something can't be done with a key; the message is for the operator, in English. */
export class KeyRefused extends Error {
  override name = 'KeyRefused'
  constructor(
    readonly code: KeyRefusal,
    message: string,
  ) {
    super(message)
  }
}
