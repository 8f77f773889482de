import { AppError } from '../errors/index.ts'

/** Why something can't be done with a key. */
export type KeyRefusal =
  | 'KEY_NOT_FOUND'
  | 'KEY_REVOKED'
  | 'KEY_EXPIRED'
  | 'KEY_ALREADY_ROTATED'
  /** The key that this one replaced still works, and a slot holds two living keys at most. */
  | 'PREDECESSOR_LIVES'

/**
 * Something can't be done with a key. People in the dashboard are told by the catalogue; the
 * message, in English, says more and is for the operator at the command line.
 */
export class KeyRefused extends AppError {
  constructor(code: KeyRefusal, message: string) {
    super(code, { internal: message })
    this.name = 'KeyRefused'
  }
}
