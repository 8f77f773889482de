export { LinkStatisticsPage, StatisticsPage } from './page.tsx'
export { prefetchReport } from './prefetch.ts'
