export { announcingLinks } from './announce.ts'
export { type Cluster, type ClusterState, openCluster } from './cluster.ts'
export type { LinkInvalidation } from './link-invalidation.ts'
export { probeRedis } from './probe.ts'
