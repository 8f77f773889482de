import { openShipping } from './shipper.ts'

/** Ships a journal again and again, until it is killed or kills itself: `bun shipper-main.ts DATA_DIR URL`. */
const [, , dataDir = '', url = ''] = process.argv
for (;;) {
  const { shipping, close } = await openShipping(dataDir, url, { dies: true })
  try {
    for (;;) {
      const { records } = await shipping.pass()
      if (records > 0) process.send?.(records)
      await Bun.sleep(5)
    }
  } catch {
    // ClickHouse is away: as the statistics process does, from what is written down.
    await close()
    await Bun.sleep(20)
  }
}
