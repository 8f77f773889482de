/**
 * Asks again until `ask` gives something other than undefined. For what another process does in
 * its own time and doesn't announce; the bound only decides how long a failure takes.
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  withinMs = 60_000,
): Promise<T> {
  const end = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > end) throw new Error(`Did not come about within ${withinMs} ms: ${what}`)
    await Bun.sleep(20)
  }
}
