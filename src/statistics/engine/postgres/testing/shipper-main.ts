import { openShipping } from './shipper.ts'

/** Ships a journal again and again, until it is killed or kills itself: `bun shipper-main.ts DATA_DIR URL`. */
const [, , dataDir = '', url = ''] = process.argv
for (;;) {
  try {
    const { shipping } = await openShipping(dataDir, url, { dies: true })
    for (;;) {
      const { records } = await shipping.pass()
      if (records > 0) process.send?.(records)
      await Bun.sleep(5)
    }
  } catch {
    // PostgreSQL is away: as the statistics process does, from what it says when it is back.
    await Bun.sleep(20)
  }
}
