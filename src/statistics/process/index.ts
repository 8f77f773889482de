export type { Retention } from '../engine/types.ts'
export type { StatisticsClient } from './client.ts'
export { statisticsFile } from './files.ts'
export type { StoreState } from './store-state.ts'
export {
  createStatistics,
  type Statistics,
  type StatisticsState,
  type StatisticsSupervisorOptions,
} from './supervisor.ts'
