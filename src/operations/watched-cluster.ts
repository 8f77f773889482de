import type { Metrics } from './metrics.ts'

/** The numbers of what several nodes share. */
export interface ClusterNumbers {
  resolver: {
    state(): {
      entries: number
      bytes: number
      hits: number
      misses: number
      stale: number
      changes: number
      losses: number
      away: boolean
      heard: boolean
    }
  }
  cluster: {
    state(): {
      up: boolean
      heard: boolean
      lagMs: number
      received: number
      unsent: number
      nodes: number
      late: number
      alone: number
    }
  }
}

/** Puts the memory of links, the messages between nodes and the shared limits among the metrics. */
export function watchCluster(metrics: Metrics, { resolver, cluster }: ClusterNumbers): void {
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, type: 'gauge', read })
  const counter = (name: string, help: string, read: () => number) =>
    metrics.watch({ name, help, type: 'counter', read })
  const memory = resolver.state
  gauge('resolver_entries', 'Slugs that are remembered', () => memory().entries)
  gauge('resolver_bytes', 'About how much memory they take', () => memory().bytes)
  counter('resolver_hits_total', 'Slugs that were remembered', () => memory().hits)
  counter('resolver_misses_total', 'Slugs that the database was asked for', () => memory().misses)
  counter(
    'resolver_stale_total',
    'Answers that the database could not confirm',
    () => memory().stale,
  )
  counter('resolver_changes_total', 'Changes of links that were heard of', () => memory().changes)
  counter(
    'resolver_losses_total',
    'How often messages may have been lost, and everything was doubted',
    () => memory().losses,
  )
  gauge('resolver_database_away', '1 while links can not be read', () => Number(memory().away))

  const { state } = cluster
  gauge('redis_up', '1 while Redis answers in time', () => Number(state().up))
  gauge('bus_heard', '1 while messages of other nodes arrive', () => Number(state().heard))
  gauge(
    'bus_lag_seconds',
    'How long the last message took to come back to its sender',
    () => state().lagMs / 1000,
  )
  counter('bus_received_total', 'Messages of other nodes', () => state().received)
  counter('bus_unsent_total', 'Messages that Redis did not take', () => state().unsent)
  gauge('nodes', 'Nodes that there are, as far as this one knows', () => state().nodes)
  counter('limits_late_total', 'How often Redis did not answer in time', () => state().late)
  counter(
    'limits_alone_total',
    'Requests whose limit this node decided by its share',
    () => state().alone,
  )
}
