/** Why a person can't be made. */
export type UserRefusal = 'EMAIL_TAKEN' | 'INVALID_EMAIL'

/** A person can't be made; the message is for the operator, in English. */
export class UserRefused extends Error {
  override name = 'UserRefused'
  constructor(
    readonly code: UserRefusal,
    message: string,
  ) {
    super(message)
  }
}
