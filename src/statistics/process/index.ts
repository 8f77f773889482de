export type { StatisticsClient } from './client.ts'
export { statisticsFile } from './files.ts'
export type { Retention, StoreState } from './messages.ts'
export {
  createStatistics,
  type Statistics,
  type StatisticsState,
  type StatisticsSupervisorOptions,
} from './supervisor.ts'
