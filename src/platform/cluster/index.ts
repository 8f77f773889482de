export { type Cluster, type ClusterState, openCluster } from './cluster.ts'
export { announcingLinks, type LinkInvalidation } from './link-invalidation.ts'
export { probeRedis } from './probe.ts'
