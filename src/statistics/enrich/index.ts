export { checkGeoipDatabase } from './check.ts'
export { createEnricher, type Enricher, type EnricherOptions } from './enricher.ts'
export { inspectDatabase, openPlaces, PlacesUnusable } from './places.ts'
