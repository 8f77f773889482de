import { type Body, type Calls, collectionOf, type Item, type Query, type Write } from './calls.js'
import type { RequestOptions, Send } from './transport.js'

/** A file to import, and its media type, such as `text/csv`. */
export type ImportFile = NonNullable<Send['upload']>

/** The objects of a workspace besides links. */
export function resourcesOf(calls: Calls) {
  const { get, write, list } = calls
  return {
    tags: {
      ...collectionOf(calls, '/tags', '/tags/{id}'),
      merge: (
        id: string,
        body: Body<'/tags/{id}/merge', 'post'>,
        options?: Write<'/tags/{id}/merge', 'post'>,
      ) => write('post', '/tags/{id}/merge', [id], body, options),
    },
    folders: collectionOf(calls, '/folders', '/folders/{id}'),
    domains: {
      ...collectionOf(calls, '/domains', '/domains/{id}'),
      verify: (id: string, options?: Write<'/domains/{id}/verify', 'post'>) =>
        write('post', '/domains/{id}/verify', [id], undefined, options),
      /** What it still needs to serve links. */
      setup: (id: string, options?: RequestOptions) =>
        get('/domains/{id}/setup', [id], undefined, options),
      /** Visits of slugs that don't exist. */
      misses: (id: string, query?: Query<'/domains/{id}/misses'>, options?: RequestOptions) =>
        list('/domains/{id}/misses', [id], query, options),
    },
    utmTemplates: collectionOf(calls, '/utm-templates', '/utm-templates/{id}'),
    /** Statistics that are shared by a secret URL. */
    shares: collectionOf(calls, '/shares', '/shares/{id}'),
    keys: keysOf(calls),
    jobs: {
      list: (query?: Query<'/jobs'>, options?: RequestOptions) => list('/jobs', [], query, options),
      get: (id: string, options?: RequestOptions) => get('/jobs/{id}', [id], undefined, options),
      cancel: (id: string, options?: Write<'/jobs/{id}/cancel', 'post'>) =>
        write('post', '/jobs/{id}/cancel', [id], undefined, options),
    },
    imports: importsOf(calls),
    webhooks: webhooksOf(calls),
    logo: {
      get: (options?: RequestOptions) => get('/logo', [], undefined, options),
      set: (logo: Body<'/logo', 'put'>, options?: Write<'/logo', 'put'>) =>
        write('put', '/logo', [], logo, options),
      delete: (options?: Write<'/logo', 'delete'>) =>
        write('delete', '/logo', [], undefined, options),
    },
    plans: {
      list: (query?: Query<'/plans'>, options?: RequestOptions) =>
        list('/plans', [], query, options),
    },
  }
}

function keysOf(calls: Calls) {
  return {
    ...collectionOf(calls, '/keys', '/keys/{id}'),
    // These take no Idempotency-Key: a replay would need the secret.
    create: (key: Body<'/keys', 'post'>, options?: Write<'/keys', 'post'>) =>
      calls.write('post', '/keys', [], key, { ...options, once: true }),
    rotate: (
      id: string,
      body?: Body<'/keys/{id}/rotate', 'post'>,
      options?: Write<'/keys/{id}/rotate', 'post'>,
    ) => calls.write('post', '/keys/{id}/rotate', [id], body, { ...options, once: true }),
  }
}

const ROTATE = '/webhooks/{id}/rotate-secret'
const REPLAY = '/webhooks/{id}/replay'
const DELIVERY = '/webhooks/{id}/deliveries/{delivery_id}/replay'

function webhooksOf(calls: Calls) {
  const { write, list } = calls
  return {
    ...collectionOf(calls, '/webhooks', '/webhooks/{id}'),
    // Their responses have the secret, so they take no Idempotency-Key.
    create: (webhook: Body<'/webhooks', 'post'>, options?: Write<'/webhooks', 'post'>) =>
      write('post', '/webhooks', [], webhook, { ...options, once: true }),
    rotateSecret: (id: string, options?: Write<typeof ROTATE, 'post'>) =>
      write('post', ROTATE, [id], undefined, { ...options, once: true }),
    /** Sends a sample of each type. */
    test: (id: string, options?: Write<'/webhooks/{id}/test', 'post'>) =>
      write('post', '/webhooks/{id}/test', [id], undefined, options),
    /** Every type with its schema and a sample. */
    eventTypes: (query?: Query<'/webhooks/event-types'>, options?: RequestOptions) =>
      list('/webhooks/event-types', [], query, options),
    deliveries: (
      id: string,
      query?: Query<'/webhooks/{id}/deliveries'>,
      options?: RequestOptions,
    ) => list('/webhooks/{id}/deliveries', [id], query, options),
    replayDelivery: (id: string, deliveryId: string, options?: Write<typeof DELIVERY, 'post'>) =>
      write('post', DELIVERY, [id, deliveryId], undefined, options),
    /** Sends again what came after an event or a time, in a job. */
    replay: (
      id: string,
      body: Body<typeof REPLAY, 'post'>,
      options?: Write<typeof REPLAY, 'post'>,
    ) => write('post', REPLAY, [id], body, options),
  }
}

function importsOf({ get, write, list, file, upload }: Calls) {
  return {
    create: (data: ImportFile, options?: Write<'/imports', 'post'>) =>
      upload('/imports', data, options),
    preview: (data: ImportFile, options?: Write<'/imports/preview', 'post'>) =>
      upload('/imports/preview', data, options),
    /** Imports from a running service. */
    fromService: (
      body: Body<'/imports/remote', 'post'>,
      options?: Write<'/imports/remote', 'post'>,
    ) => write('post', '/imports/remote', [], body, options),
    list: (query?: Query<'/imports'>, options?: RequestOptions) =>
      list('/imports', [], query, options),
    get: (id: string, options?: RequestOptions) => get('/imports/{id}', [id], undefined, options),
    start: (id: string, options?: Write<'/imports/{id}/start', 'post'>) =>
      write('post', '/imports/{id}/start', [id], undefined, options),
    undo: (id: string, options?: Write<'/imports/{id}/undo', 'post'>) =>
      write('post', '/imports/{id}/undo', [id], undefined, options),
    rows: (id: string, query?: Query<'/imports/{id}/rows'>, options?: RequestOptions) =>
      list('/imports/{id}/rows', [id], query, options),
    exportRowsCsv: (
      id: string,
      query?: Query<'/imports/{id}/rows.csv'>,
      options?: RequestOptions,
    ) => file('/imports/{id}/rows.csv', [id], query, options),
  }
}

/** An event of the feed. */
export type Event = Item<'/events'>
/** A click. */
export type Click = Item<'/clicks'>

/** What is read: statistics, clicks, events. */
export function reportsOf({ get, list, file, follow }: Calls) {
  return {
    stats: {
      /** Clicks of the workspace over time. */
      get: (query?: Query<'/stats'>, options?: RequestOptions) => get('/stats', [], query, options),
      /** The top values of a dimension, such as `country`. */
      top: (dimension: string, query?: Query<'/stats/{dimension}'>, options?: RequestOptions) =>
        get('/stats/{dimension}', [dimension], query, options),
    },
    clicks: {
      list: (query?: Query<'/clicks'>, options?: RequestOptions) =>
        list('/clicks', [], query, options),
      /** New clicks, without an end. */
      follow: (query: Query<'/clicks/stream'> = {}, options?: RequestOptions) =>
        follow<Click>('/clicks/stream', query, options),
      exportCsv: (query?: Query<'/clicks.csv'>, options?: RequestOptions) =>
        file('/clicks.csv', [], query, options),
      exportNdjson: (query?: Query<'/clicks.ndjson'>, options?: RequestOptions) =>
        file('/clicks.ndjson', [], query, options),
      exportParquet: (query?: Query<'/clicks.parquet'>, options?: RequestOptions) =>
        file('/clicks.parquet', [], query, options),
    },
    events: {
      /** One page; give `pagination.next_cursor` as `after` to go on. */
      list: (query?: Query<'/events'>, options?: RequestOptions) =>
        get('/events', [], query, options),
      /**
       * Every event after `after` (an event's id, `latest`, or absent: the oldest), once and in
       * order, without an end. Keep the id of the last one to go on after a restart.
       */
      follow: (query: Query<'/events/stream'> = {}, options?: RequestOptions) =>
        follow<Event>('/events/stream', query, options),
    },
  }
}
