export { onTls } from './answers.ts'
export { createHostAsk } from './ask.ts'
export {
  countFailedWrites,
  DISK_FULL_BYTES,
  DISK_LOW_BYTES,
  diskCheck,
  freeBytesOf,
  secretCheck,
  storageCheck,
} from './checks.ts'
export {
  type CheckResult,
  createHealth,
  type Health,
  type HealthCheck,
  type HealthReport,
} from './health.ts'
export { createLifecycle, type ShutdownStep } from './lifecycle.ts'
export { DataDirLocked, lockDataDir, lockState } from './lock.ts'
export { createMetrics, type Metrics } from './metrics.ts'
export { sampleDurations, summarizeRefusals } from './visits.ts'
