/**
 * Polls until `ask` returns something other than undefined. For effects of other processes that
 * aren't announced; the timeout only decides how long a failure takes. The interval grows, because
 * polling takes time from what is waited for.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const begin = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    const waited = Date.now() - begin
    if (waited > withinMs) throw new Error(`Did not come about within ${withinMs} ms: ${what}`)
    await Bun.sleep(Math.min(100, 20 + waited / 20))
  }
}
