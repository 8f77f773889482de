import { Tokenizer, TokenParser, TokenType } from '@streamparser/json'

/**
 * Parses JSON that comes in pieces. Values below `depthMax` levels are left out, so that they take
 * no memory.
 * @param found is called with each value at one of the paths, and whether something is left out of it
 * @param seen is called with the position of each token, in bytes
 */
export function createParser(
  paths: string[],
  depthMax: number,
  found: (value: unknown, isDeep: boolean) => void,
  seen: (offset: number) => void,
) {
  const tokenizer = new Tokenizer()
  const values = new TokenParser({ paths, keepStack: false })
  let depth = 0
  /** Something is left out of the open lists and objects down to this level. */
  let deepDown = 0
  let isDeep = false
  values.onValue = ({ value }) => found(value, isDeep)
  values.onError = (error) => tokenizer.error(error)
  values.onEnd = () => tokenizer.isEnded || tokenizer.end()
  tokenizer.onToken = (token) => {
    seen(token.offset)
    const { token: type } = token
    const opens = type === TokenType.LEFT_BRACE || type === TokenType.LEFT_BRACKET
    const closes = type === TokenType.RIGHT_BRACE || type === TokenType.RIGHT_BRACKET
    const level = closes ? depth-- : opens ? ++depth : depth
    if (level > depthMax) {
      if (opens && level === depthMax + 1) {
        deepDown = depthMax
        values.write({ token: TokenType.NULL, value: null })
      }
      return
    }
    isDeep = closes && level <= deepDown
    values.write(token)
    if (closes) deepDown = Math.min(deepDown, depth)
  }
  return {
    write: (text: string) => tokenizer.write(text),
    isEnded: () => tokenizer.isEnded && values.isEnded,
  }
}
