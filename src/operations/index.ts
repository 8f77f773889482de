export { onTls } from './answers.ts'
export { createHostAsk } from './ask.ts'
export type { WatchedValue } from './counted.ts'
export {
  type CheckResult,
  countFailedWrites,
  createHealth,
  DISK_FULL_BYTES,
  DISK_LOW_BYTES,
  diskCheck,
  freeBytesOf,
  type Health,
  type HealthCheck,
  type HealthReport,
  secretCheck,
  storageCheck,
} from './health.ts'
export { createLifecycle, type ShutdownStep } from './lifecycle.ts'
export { DataDirLocked, lockDataDir, lockState } from './lock.ts'
export { createMetrics, type Metrics } from './metrics.ts'
