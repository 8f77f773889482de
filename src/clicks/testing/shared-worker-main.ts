import { systemClock } from '../../base/clock.ts'
import { readNode } from '../../cluster/node.ts'
import { openPostgres } from '../../storage/index.ts'
import { openSharedClickWork } from '../shared/work.ts'
import { runClickWorker } from '../worker.ts'

/** A node's click worker as a process, for tests: `bun shared-worker-main.ts DATA_DIR URL`. */
const [, , dataDir = '', url = ''] = process.argv
const nodeNo = readNode(dataDir)?.no as number
await runClickWorker({
  dataDir,
  idleMs: 15_000,
  open: async () =>
    openSharedClickWork({
      dataDir,
      nodeNo,
      storage: await openPostgres({ url, poolSize: 2 }),
      clock: systemClock,
    }),
})
