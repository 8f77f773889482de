export { createEnricher } from './enricher.ts'
