import { type Body, type Calls, collectionOf, type Query, type Write } from './calls.js'
import type { RequestOptions } from './transport.js'

const LINK = '/links/{id}'
const EXTERNAL = '/links/external/{external_id}'

/** `slugline.links` */
export function linksOf(calls: Calls) {
  const { get, write, list } = calls
  return {
    ...collectionOf(calls, '/links', LINK),
    /** The link of a short URL. */
    lookUp: (query: Query<'/links/lookup'>, options?: RequestOptions) =>
      get('/links/lookup', [], query, options),
    getByExternalId: (externalId: string, options?: RequestOptions) =>
      get(EXTERNAL, [externalId], undefined, options),
    /** Creates the link, or merges into the one that has this external id. */
    putByExternalId: (
      externalId: string,
      link: Body<typeof EXTERNAL, 'put'>,
      options?: Write<typeof EXTERNAL, 'put'>,
    ) => write('put', EXTERNAL, [externalId], link, options),
    updateByExternalId: (
      externalId: string,
      changes: Body<typeof EXTERNAL, 'patch'>,
      options?: Write<typeof EXTERNAL, 'patch'>,
    ) => write('patch', EXTERNAL, [externalId], changes, options),
    deleteByExternalId: (externalId: string, options?: Write<typeof EXTERNAL, 'delete'>) =>
      write('delete', EXTERNAL, [externalId], undefined, options),
    /** Up to 1,000 operations; each has its own result unless `atomic`. */
    bulk: (body: Body<'/links/bulk', 'post'>, options?: Write<'/links/bulk', 'post'>) =>
      write('post', '/links/bulk', [], body, options),
    /** Changes or deletes all links that a filter finds, in a job. */
    bulkByFilter: (
      body: Body<'/links/bulk/by-filter', 'post'>,
      options?: Write<'/links/bulk/by-filter', 'post'>,
    ) => write('post', '/links/bulk/by-filter', [], body, options),
    /** Restores what such a job has changed or deleted, in a job. */
    undoByFilter: (id: string, options?: Write<'/links/bulk/by-filter/{id}/undo', 'post'>) =>
      write('post', '/links/bulk/by-filter/{id}/undo', [id], undefined, options),
    listDeleted: (query?: Query<'/links/deleted'>, options?: RequestOptions) =>
      list('/links/deleted', [], query, options),
    history: (id: string, query?: Query<'/links/{id}/history'>, options?: RequestOptions) =>
      list('/links/{id}/history', [id], query, options),
    restore: (
      id: string,
      body?: Body<'/links/{id}/restore', 'post'>,
      options?: Write<'/links/{id}/restore', 'post'>,
    ) => write('post', '/links/{id}/restore', [id], body, options),
    /** Where a visitor would go, and why. */
    explain: (
      id: string,
      body: Body<'/links/{id}/explain', 'post'>,
      options?: Write<'/links/{id}/explain', 'post'>,
    ) => write('post', '/links/{id}/explain', [id], body, options),
    appeal: (
      id: string,
      body: Body<'/links/{id}/appeal', 'post'>,
      options?: Write<'/links/{id}/appeal', 'post'>,
    ) => write('post', '/links/{id}/appeal', [id], body, options),
    /** Clicks over time. */
    stats: (id: string, query?: Query<'/links/{id}/stats'>, options?: RequestOptions) =>
      get('/links/{id}/stats', [id], query, options),
    /** The top values of a dimension, such as `country`. */
    top: (
      id: string,
      dimension: string,
      query?: Query<'/links/{id}/stats/{dimension}'>,
      options?: RequestOptions,
    ) => get('/links/{id}/stats/{dimension}', [id, dimension], query, options),
    clicks: (id: string, query?: Query<'/links/{id}/clicks'>, options?: RequestOptions) =>
      list('/links/{id}/clicks', [id], query, options),
    /** Deletes the clicks before a time. */
    deleteClicks: (
      id: string,
      query: Query<'/links/{id}/clicks', 'delete'>,
      options?: Write<'/links/{id}/clicks', 'delete'>,
    ) => write('delete', '/links/{id}/clicks', [id], undefined, { ...options, query }),
    ...filesOf(calls),
  }
}

/** What comes as a file: a response whose body is still to be read. */
function filesOf({ file }: Calls) {
  return {
    qrSvg: (id: string, query?: Query<'/links/{id}/qr.svg'>, options?: RequestOptions) =>
      file('/links/{id}/qr.svg', [id], query, options),
    qrPng: (id: string, query?: Query<'/links/{id}/qr.png'>, options?: RequestOptions) =>
      file('/links/{id}/qr.png', [id], query, options),
    exportCsv: (query?: Query<'/links.csv'>, options?: RequestOptions) =>
      file('/links.csv', [], query, options),
    exportNdjson: (query?: Query<'/links.ndjson'>, options?: RequestOptions) =>
      file('/links.ndjson', [], query, options),
    /** The history of all links. */
    exportHistory: (options?: RequestOptions) => file('/history.ndjson', [], undefined, options),
    exportClicksCsv: (
      id: string,
      query?: Query<'/links/{id}/clicks.csv'>,
      options?: RequestOptions,
    ) => file('/links/{id}/clicks.csv', [id], query, options),
    exportClicksNdjson: (
      id: string,
      query?: Query<'/links/{id}/clicks.ndjson'>,
      options?: RequestOptions,
    ) => file('/links/{id}/clicks.ndjson', [id], query, options),
    exportClicksParquet: (
      id: string,
      query?: Query<'/links/{id}/clicks.parquet'>,
      options?: RequestOptions,
    ) => file('/links/{id}/clicks.parquet', [id], query, options),
  }
}
