import type { OpenApiParts, Schema } from '../../http/openapi-share.ts'
import { ICON } from '../../lib/base/look.ts'
import { ERRORS, PUBLIC_DETAIL_CODES, PUBLIC_ERROR_CODES } from '../../lib/errors/index.ts'
import { type Locale, type MessageParams, translate } from '../../lib/i18n/index.ts'
import { operationSection, parameterEntry, sharedParameters } from './operation.ts'
import { entries, type Html, html, membersOf, nameOfRef, prose, raw, typeOf } from './schema.ts'
import { STYLE } from './style.ts'

/** Nothing may load or run; the only style is allowed by its hash. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference as one page without scripts, generated from the OpenAPI document. */
export function referencePage(document: OpenApiParts, baseUrl: string): string {
  const { components = {} } = document
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  const contents = html`<li><a href="#top">Overview</a></li>
${operations.map(
  ({ method, operation }) =>
    html`<li><a href="#${operation.operationId}">${operation.summary}</a> <span class="verb">${method.toUpperCase()}</span></li>\n`,
)}<li><a href="#parameters">Parameters</a></li>
<li><a href="#objects">Objects</a></li>
<li><a href="/docs/errors">Errors</a></li>`
  const main = html`${prose(document.info.description)}
<h2 id="endpoints">Endpoints</h2>
${operations.map(({ method, path, operation }) => operationSection(method, path, operation, components, baseUrl))}
<h2 id="parameters">Parameters</h2>
<p>Those that several endpoints take.</p>
${entries(sharedParameters(components).map(parameterEntry))}
<h2 id="objects">Objects</h2>
${objectsOf(document).map(([name, schema]) => objectSection(name, schema))}`
  return layout(document, baseUrl, contents, main)
}

/** Every error code on one page; `locale` is the language of the messages. */
export function errorsPage(document: OpenApiParts, baseUrl: string, locale: Locale): string {
  const contents = html`<li><a href="/docs">Reference</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#details">Errors of fields</a></li>`
  const main = html`<h2 id="errors">Errors</h2>
<p>Every code of <code>error.code</code>, with an example of its message.</p>
${errorCodes(locale)}
<h2 id="details">Errors of fields</h2>
<p>Every code of <code>error.details[].code</code>.</p>
${detailCodes(locale)}`
  return layout(document, baseUrl, contents, main)
}

function layout({ info }: OpenApiParts, baseUrl: string, contents: Html, main: Html): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
${STYLE_ELEMENT}
</head>
<body>
<header>
<p class="logo">${raw(ICON)} Slugline</p>
<h1 id="top">${info.title}</h1>
<p class="dim">Version ${info.version} · <code>${baseUrl}</code> · <a href="/openapi.json">openapi.json</a></p>
</header>
<nav aria-label="Contents">
<ul>
${contents}
</ul>
</nav>
<main>
${main}
</main>
</body>
</html>
`)
}

// Not escaped: the hash is of exactly these bytes.
const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`)

/** The schemas of responses. Those of requests are shown with their endpoint, unless shared. */
function objectsOf({ paths = {}, components }: OpenApiParts): [string, Schema][] {
  const taken = new Set<string>()
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
      if (schema?.$ref !== undefined) taken.add(nameOfRef(schema.$ref))
    }
  }
  const schemas = Object.entries(components?.schemas ?? {})
  for (const [, name] of JSON.stringify(schemas).matchAll(/"\$ref":"[^"]*\/(\w+)"/g)) {
    taken.delete(name as string)
  }
  return schemas.filter(([name]) => !taken.has(name))
}

/** Enums whose values the page of errors explains. */
const LISTED: Readonly<Record<string, string>> = { ErrorCode: 'errors', DetailCode: 'details' }

function objectSection(name: string, schema: Schema): Html {
  const list = LISTED[name]
  const members =
    list === undefined
      ? (membersOf(schema, 'optional') ?? html`<p>${typeOf(schema)}</p>`)
      : html`<p>One of <a href="/docs/errors#${list}">these codes</a>.</p>`
  return html`<section><h3 id="${name}">${name}</h3>
${prose(schema.description)}${members}</section>
`
}

/** Example values for the parameters of messages. */
const SAMPLES: MessageParams = {
  scope: 'links:write',
  restriction: 'folders',
  allowed: ['application/json'],
  expected: 'string',
  seconds: 5,
  limit: 1000,
  min: 1,
  max: 100,
  other: 'limit',
  line: 1,
  column: 12,
}

/** Codes for which other examples are clearer. */
const OWN: Readonly<Record<string, MessageParams>> = {
  METHOD_NOT_ALLOWED: { allowed: ['GET', 'HEAD', 'OPTIONS'] },
  PAYLOAD_TOO_LARGE: { max: 65_536 },
  URL_SCHEME_NOT_ALLOWED: { allowed: ['http', 'https'] },
  INVALID_HEADER: { expected: 'identity' },
  INVALID_VALUE: { allowed: ['asc', 'desc'] },
  DOMAIN_IN_USE: { links: 12 },
  COUNT_CHANGED: { count: 12_408 },
  TOO_MANY_DETAILS: { count: 12 },
  SLUGS_COLLIDE: { slugs: 'Menu, menu' },
  INVALID_IMAGE: { allowed: ['PNG', 'JPEG', 'WebP'] },
  LOGO_TOO_LARGE: { allowed: ['Q', 'H'] },
  LOW_CONTRAST: { min: 3 },
}

/** Every error code. */
function errorCodes(locale: Locale): Html {
  return entries(
    PUBLIC_ERROR_CODES.map((code) => ({
      name: html`<code id="${code}">${code}</code>`,
      kind: String(ERRORS[code].status),
      meaning: translate(locale, `error.${code}`, { ...SAMPLES, ...OWN[code] }),
      locale,
    })),
  )
}

/** Every code of a failing field. */
function detailCodes(locale: Locale): Html {
  return entries(
    PUBLIC_DETAIL_CODES.map((code) => ({
      name: html`<code id="detail-${code}">${code}</code>`,
      meaning: translate(locale, `detail.${code}`, { ...SAMPLES, ...OWN[code] }),
      locale,
    })),
  )
}
