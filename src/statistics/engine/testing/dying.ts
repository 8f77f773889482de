/** Where a shipper kills itself, relative to the storing of a batch. */
export const MOMENTS = ['before', 'during', 'after'] as const

export type Moment = (typeof MOMENTS)[number]

/** A shipper that kills itself, as by kill -9, once it has reported that a batch was shipped. */
interface DyingShipper {
  shipping: { readonly watermark: unknown; pass(): Promise<unknown> }
  close(): Promise<void>
}

let armed: Moment | undefined

/** Dies if it is that moment and something was shipped. */
export function maybeDie(moment: Moment): void {
  const die = () => process.kill(process.pid, 'SIGKILL')
  if (armed !== moment) return
  if (moment === 'during') setTimeout(die, 2)
  else die()
}

/** Ships a journal again and again until it kills itself: `bun shipper.ts DATA_DIR URL MOMENT`. */
export async function shipUntilDeath(
  open: (dataDir: string, url: string) => Promise<DyingShipper>,
): Promise<never> {
  const [, , dataDir = '', url = '', moment] = process.argv
  let reported: unknown
  for (;;) {
    const opened = await open(dataDir, url).catch(() => undefined)
    try {
      while (opened !== undefined) {
        const { shipping } = opened
        reported ??= JSON.stringify(shipping.watermark)
        await shipping.pass()
        const reached = JSON.stringify(shipping.watermark)
        if (reached !== reported) {
          armed = moment as Moment
          process.send?.(reached)
        }
        reported = reached
        await Bun.sleep(5)
      }
    } catch {
      // The server is down: the next attempt starts from what is stored, as in production.
      await opened?.close()
    }
    await Bun.sleep(20)
  }
}
