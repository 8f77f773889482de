export { createEnricher } from './enricher.ts'
export { createPlaceLookup } from './places.ts'
