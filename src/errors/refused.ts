/** The operator asked for what can't be done. The message is English, for the command line. */
export class Refused extends Error {
  override name = 'Refused'
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message)
  }
}
