import { runClickWorker } from '../worker.ts'

/** The click worker as a process, for tests: `bun worker-main.ts DATA_DIR [IDLE_MS]`. */
const [, , dataDir = '', idleMs = '15000'] = process.argv
await runClickWorker({ dataDir, idleMs: Number(idleMs) })
