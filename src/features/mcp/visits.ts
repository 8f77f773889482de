import { z } from '@hono/zod-openapi'
import { jsonOf } from './call.ts'
import { findLink, LINK, linkId } from './find.ts'
import { choice, type OutputOf, text, tool } from './tool.ts'

const EXPLANATION = {
  outcome: z.string().describe('redirect, page (an error, password or other page) or answer'),
  status: z.number(),
  location: z.string().nullable(),
  link_id: z.string().nullable(),
  rule: z.string().nullable(),
  variant: z.string().nullable(),
  steps: z.array(z.looseObject({ check: z.string(), passed: z.boolean(), message: z.string() })),
}

export const explainVisit = tool({
  name: 'explain_visit',
  title: 'Explain a redirect',
  description:
    'Test where a visitor of a short link would end up, and why: every check in order, such as ' +
    'dates, limits, password and rules by country or device. Nothing is counted as a click. Describe ' +
    'the visitor, for example country "DE" and region "DE-BE" for Berlin.',
  scopes: ['links:read'],
  effect: 'reads',
  input: {
    link: LINK,
    country: text('The country of the visitor, such as DE.', 64),
    region: text('The region of the visitor (ISO 3166-2), such as DE-BE.', 64),
    language: text('Their Accept-Language, such as de-AT.', 128),
    user_agent: text('Their User-Agent. Default: an unspecified browser.', 512),
    ip: text('Their IP address, instead of country and region.', 64),
    referrer: text('The page they come from.', 1_024),
    query: text('The query string of the visit, such as a=1&b=2.'),
    path: text('The path after the slug, of a link that matches a prefix.', 2_048),
    at: text('The time of the visit (RFC 3339). Default: now.', 64),
    password: text('The password they enter.', 1_024),
  },
  output: EXPLANATION,
  async run(call, { link, ...visitor }) {
    // A whole address may also be one without a link: the steps say why.
    const isUrl = /^https?:\/\//i.test(link)
    const [path, json] = isUrl
      ? ['/explain', { url: link, visitor }]
      : [`/links/${await linkId(call, link)}/explain`, { visitor }]
    const explanation = await jsonOf<OutputOf<typeof EXPLANATION>>(call('POST', path, { json }))
    const { outcome, status, location, steps } = explanation
    const where =
      location === null ? `sees a ${outcome} (${status})` : `is sent to ${location} (${status})`
    const relevant = steps.filter(({ check, passed }) => !passed || /^rules\[\d+\]$/.test(check))
    return {
      text: `The visitor ${where}. ${relevant.map(({ message }) => message).join(' ')}`,
      data: { ...explanation },
    }
  },
})

export const getQrCode = tool({
  name: 'get_qr_code',
  title: 'QR code',
  description:
    'The QR code of a short link as a picture. Scans are counted separately from clicks.',
  scopes: ['links:read'],
  effect: 'reads',
  input: {
    link: LINK,
    format: choice('png svg', 'Default: png.'),
    size: z.int().min(64).max(2_048).optional().describe('The side in pixels. Default: 512.'),
    dark: text('The color of the modules, #rrggbb.', 16),
    light: text('The color of the background, #rrggbb.', 16),
    correction: choice('L M Q H', 'How much damage the code tolerates: L least, H most.'),
  },
  output: { link_id: z.string(), short_url: z.string(), mime_type: z.string(), bytes: z.number() },
  async run(call, { link: name, format = 'png', size = 512, ...style }) {
    const { id, short_url } = await findLink(call, name)
    const response = await call('GET', `/links/${id}/qr.${format}`, { query: { size, ...style } })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const mimeType = format === 'png' ? 'image/png' : 'image/svg+xml'
    return {
      text: `The QR code of ${short_url}.`,
      data: { link_id: id, short_url, mime_type: mimeType, bytes: bytes.length },
      image: { mimeType, data: bytes.toBase64() },
    }
  },
})
