export { LinkStatisticsPage, StatisticsPage } from './page.tsx'
