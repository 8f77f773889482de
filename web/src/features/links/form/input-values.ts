/** Null if nothing was typed. */
export const orNull = (text: string) => (text === '' ? null : text)

/** Invalid numbers are passed to the API, which reports them in the person's language. */
export function numberOrNull(text: string): number | null {
  if (text.trim() === '') return null
  const value = Number(text)
  return Number.isNaN(value) ? (text as unknown as number) : value
}

/** Completes `example.com/a` to `https://example.com/a`. */
export function withScheme(url: string): string {
  const bare = /^[^\s:/?#@]+\.[^\s:/?#@]+(?::\d+)?(?:[/?#]|$)/
  return bare.test(url) ? `https://${url}` : url
}
