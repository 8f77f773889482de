/** Null where nothing was typed. */
export const orNull = (text: string) => (text === '' ? null : text)

/** Whatever isn't a number goes to the API as it is: it says what is wrong in the person's words. */
export function numberOrNull(text: string): number | null {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isNaN(value) ? (text as unknown as number) : value
}

/** `example.com/a` is meant as `https://example.com/a`. */
export function withScheme(url: string): string {
  const bare = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]|$)/
  return bare.test(url) ? `https://${url}` : url
}
