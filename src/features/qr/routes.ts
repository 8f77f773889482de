import { z } from '@hono/zod-openapi'
import { type Answer, type Api, digestTag, endpoint, noneMatch } from '../../http/index.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { IMAGE_BODY_BYTES_MAX, readImage } from '../../lib/validation/image.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { QR_MARKER } from '../../redirect/target.ts'
import { writerOf } from '../audit/index.ts'
import type { LinkService } from '../links/index.ts'
import { LINK_EXAMPLE } from '../links/schemas.ts'
import { bearsLogo, QR_SIZE, type QrStyle, qrSvg } from './drawing.ts'
import { LOGO_SIDE_MAX, type LogoRow, type LogoService } from './logo.ts'
import { createPictures } from './pictures.ts'
import { qrPng } from './png.ts'
import {
  LOGO_EXAMPLE,
  LogoSchema,
  LogoUploadSchema,
  type QrQuery,
  QrQuerySchema,
} from './schemas.ts'
import { assertLarge, assertReadable, type QrStyleService, type WorkspaceStyle } from './style.ts'

const READ = { scope: 'links:read', tag: 'QR codes' } as const
const WRITE = { scope: 'links:write', dryRun: true, tag: 'QR codes' } as const
/** Incremented when the drawing changes, to invalidate caches. */
const DRAWING = 2
const CACHE = 'private, max-age=300'
/** Opened directly, the SVG may only show the logo embedded in it. */
const POLICY = "default-src 'none'; img-src data:; frame-ancestors 'none'"

const FORMATS = {
  svg: { name: 'SVG', contentType: 'image/svg+xml', schema: z.string() },
  png: {
    name: 'PNG',
    contentType: 'image/png',
    schema: z.string().openapi({ format: 'binary' }),
  },
} as const

/** The endpoints of a link's QR code. */
export function registerQrRoutes(
  api: Pick<Api, 'add'>,
  deps: {
    links: Pick<LinkService, 'get'>
    logos: Pick<LogoService, 'find'>
    qrStyles: Pick<QrStyleService, 'find'>
  },
): void {
  const pictures = createPictures()
  for (const format of ['svg', 'png'] as const) {
    const { name, contentType, schema } = FORMATS[format]
    endpoint(api, {
      ...READ,
      method: 'get',
      path: `/api/v1/links/{id}/qr.${format}`,
      operationId: `getQrCode${name}`,
      summary: `Get a link's QR code as ${name}`,
      description:
        `Encodes the short address with \`?${QR_MARKER}\`, which distinguishes scans from ` +
        'clicks. Refused if cameras could fail to read it: colors with a contrast below 3:1, or ' +
        'a logo with correction L or M, or as PNG fewer than two pixels per module.',
      params: z.object({
        id: z.string().openapi({ description: 'The id of the link.', example: LINK_EXAMPLE.id }),
      }),
      query: QrQuerySchema,
      success: {
        status: 200,
        description: 'The code.',
        contentType,
        schema,
        headers: { ETag: 'Changes when the code does.' },
      },
      errors: ['LINK_NOT_FOUND', 'QR_UNREADABLE'],
      cacheControl: CACHE,
      async handler({ caller, params, query, request }): Promise<Answer> {
        const { short_url } = await deps.links.get(caller, params.id)
        const saved = await deps.qrStyles.find(caller.workspace.no)
        const wishesLogo = query.logo === undefined ? saved.logo : query.logo === 'true'
        const stored = wishesLogo ? await deps.logos.find(caller.workspace.no) : undefined
        const { style, size, logo } = checkedStyle(query, saved, stored)
        const text = `${short_url}?${QR_MARKER}`
        const etag = digestTag(JSON.stringify([DRAWING, format, text, style, size, logo?.png]))
        const headers = {
          'Content-Type': contentType,
          'Cache-Control': CACHE,
          'Content-Security-Policy': POLICY,
          ETag: etag,
        }
        if (format === 'svg') {
          const href = logo && `data:image/png;base64,${logo.png}`
          const svg = qrSvg(text, style, size, logo && { ...logo, href: href as string })
          return { status: 200, rendered: { status: 200, text: svg, headers } }
        }
        assertLarge(text, style, size)
        if (noneMatch(request.headers.get('if-none-match'), etag)) return { status: 304, headers }
        const picture = logo && { ...logo, png: Buffer.from(logo.png, 'base64') }
        return {
          status: 200,
          headers,
          async stream() {
            const draw = () => qrPng(text, style, size, picture)
            return new Blob([await pictures.get(caller.workspace.no, etag, draw)]).stream()
          },
        }
      },
    })
  }
}

/**
 * What is asked for, and for the rest the workspace's style; its logo is left out where the
 * correction asked for doesn't bear it.
 * @throws AppError QR_UNREADABLE, VALIDATION_FAILED (NO_LOGO)
 */
function checkedStyle(
  { size = QR_SIZE.default, logo: asked, ...chosen }: QrQuery,
  { logo: _, ...saved }: WorkspaceStyle,
  stored: LogoRow | undefined,
): { style: QrStyle; size: number; logo: LogoRow | undefined } {
  if (asked === 'true' && stored === undefined) throw invalid({ field: 'logo', code: 'NO_LOGO' })
  const given = Object.fromEntries(
    Object.entries(chosen).filter(([, value]) => value !== undefined),
  )
  const style: QrStyle = { ...saved, ...given }
  const bears = bearsLogo(style.correction)
  const isAsked = chosen.correction !== undefined
  const logo = asked === 'true' || bears || !isAsked ? stored : undefined
  if (logo !== undefined && !bears && !isAsked) style.correction = 'H'
  assertReadable(style, logo !== undefined)
  return { style, size, logo }
}

const LOGO = '/api/v1/logo'

/** The endpoints of the workspace's logo. */
export function registerLogoRoutes(api: Pick<Api, 'add'>, { logos }: { logos: LogoService }): void {
  endpoint(api, {
    ...READ,
    method: 'get',
    path: LOGO,
    operationId: 'getLogo',
    summary: "Get the workspace's logo",
    success: {
      status: 200,
      description: 'The logo.',
      schema: LogoSchema,
      example: LOGO_EXAMPLE,
    },
    errors: ['LOGO_NOT_FOUND'],
    async handler({ caller }) {
      const logo = await logos.find(caller.workspace.no)
      if (logo === undefined) throw new AppError('LOGO_NOT_FOUND')
      return { status: 200, body: toLogo(logo) }
    },
  })

  endpoint(api, {
    ...WRITE,
    method: 'put',
    path: LOGO,
    wholeWorkspace: true,
    operationId: 'setLogo',
    summary: "Set the workspace's logo",
    description:
      'One for the whole workspace, for the middle of its QR codes. It is re-encoded as a PNG of ' +
      'at most 512 pixels a side; what was uploaded is not kept.',
    body: LogoUploadSchema,
    bodyBytesMax: IMAGE_BODY_BYTES_MAX,
    bodyExample: { image: LOGO_EXAMPLE.image },
    success: {
      status: 200,
      description: 'The logo.',
      schema: LogoSchema,
      example: LOGO_EXAMPLE,
    },
    async handler(call) {
      const logo = await readImage(call.body.image, LOGO_SIDE_MAX)
      return call.mutate(async (tx) => ({
        status: 200,
        body: toLogo(await logos.set(tx, writerOf(call), logo)),
      }))
    },
  })

  endpoint(api, {
    ...WRITE,
    method: 'delete',
    path: LOGO,
    wholeWorkspace: true,
    operationId: 'deleteLogo',
    summary: "Delete the workspace's logo",
    success: { status: 204, description: 'The workspace has no logo.' },
    errors: ['LOGO_NOT_FOUND'],
    handler: (call) => call.mutate((tx) => logos.remove(tx, writerOf(call))),
  })
}

function toLogo({ png, width, height, updated_at }: LogoRow) {
  return { image: png, width, height, updated_at: formatTimestamp(updated_at) }
}
