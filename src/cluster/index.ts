export { announcingLinks } from './announce.ts'
export { type Cluster, type ClusterOptions, type ClusterState, openCluster } from './cluster.ts'
export type { LinkInvalidation } from './link-invalidation.ts'
export { probeRedis, type RedisFacts } from './probe.ts'
