import { z } from '@hono/zod-openapi'
import { type Answer, type Api, type Call, type Caller, endpoint } from '../../http/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { actorOf, recordExport } from '../audit/index.ts'
import { EXPORTS_PER_WORKSPACE, type LinkExport } from './export.ts'
import { createExportQuerySchema, listQueryOf } from './list-query.ts'
import type { LinkService } from './service.ts'

const FORMATS = {
  csv: {
    name: 'CSV',
    contentType: 'text/csv; charset=utf-8; header=present',
    description:
      'RFC 4180 with a header row; null is empty, lists and objects are JSON. A value that begins ' +
      'with `=`, `+`, `-`, `@` (also in full width), a tab, a line break or an apostrophe has an ' +
      'apostrophe before it, so that no spreadsheet runs it as a formula; `raw=true` leaves it out. ' +
      '`bom=true` begins with a byte order mark, by which Excel knows UTF-8.',
  },
  ndjson: {
    name: 'NDJSON',
    contentType: 'application/x-ndjson',
    description: 'One JSON object a line.',
  },
} as const satisfies Record<LinkExport['format'], object>

/** Exports of links, as streams. */
export function registerLinkExportRoutes(
  api: Pick<Api, 'add'>,
  deps: { links: LinkService; clock: Clock },
): void {
  for (const format of ['csv', 'ndjson'] as const) {
    const { name, contentType, description } = FORMATS[format]
    endpoint(api, {
      method: 'get',
      path: `/api/v1/links.${format}`,
      scope: 'links:read',
      operationId: `exportLinks${name}`,
      tag: 'Links',
      summary: `Export links as ${name}`,
      description:
        'All links that match the filters of the list: the `id`, every field that can be written, ' +
        '`has_password` instead of the password, `clicks.imported`, `created_by` and `created_at`. An import ' +
        `takes the file as it is. ${description} If an export is interrupted, the transfer ends incomplete, ` +
        'which HTTP clients report as an error. ' +
        `A workspace can have ${EXPORTS_PER_WORKSPACE} exports open; beyond that the response is 429.`,
      query: createExportQuerySchema(deps.links.rules, format === 'csv'),
      success: {
        status: 200,
        description: 'The links.',
        contentType,
        schema: z.string(),
        headers: { 'Content-Disposition': 'A name for the file.' },
      },
      async handler(call) {
        const { raw, bom, ...query } = call.query as typeof call.query &
          Partial<Record<'raw' | 'bom', 'true' | 'false'>>
        const { request, requestId } = call
        const caller = { ...call.caller, actor: actorOf(call.caller, requestId) }
        const options = { format, raw: raw === 'true', bom: bom === 'true' }
        const asked = listQueryOf(query)
        const start = await deps.links.exports.links(caller, asked, options, request.signal)
        return download(call, 'links', format, start)
      },
    })
  }

  endpoint(api, {
    method: 'get',
    path: '/api/v1/history.ndjson',
    scope: 'links:read',
    operationId: 'exportHistory',
    tag: 'Links',
    summary: 'Export the history of all links',
    description:
      'Every change of the links of the workspace, newest first, also of deleted ones for as long as ' +
      'they can be restored: one JSON object a line, an entry of `GET /links/{id}/history` with the ' +
      '`link_id`.',
    success: {
      status: 200,
      description: 'The changes.',
      contentType: FORMATS.ndjson.contentType,
      schema: z.string(),
      headers: { 'Content-Disposition': 'A name for the file.' },
    },
    handler: (call) =>
      download(call, 'history', 'ndjson', () =>
        deps.links.exports.history(call.caller, call.request.signal),
      ),
  })

  /** Streams a file, and records the export when the stream begins. */
  function download(
    call: Call<Caller>,
    name: string,
    format: LinkExport['format'],
    start: () => Promise<ReadableStream<Uint8Array>>,
  ): Answer {
    const file = `${name}.${format}`
    return {
      status: 200,
      async stream() {
        await recordExport(call, { of: 'links', file, at: deps.clock.now(), format })
        return start()
      },
      headers: {
        'Content-Type': FORMATS[format].contentType,
        'Content-Disposition': `attachment; filename="${file}"`,
        'Cache-Control': 'no-store',
      },
    }
  }
}
