import type { OpenApiParts, Schema } from '../../http/openapi-share.ts'
import { ICON } from '../../lib/base/brand.ts'
import { ERRORS, PUBLIC_DETAIL_CODES, PUBLIC_ERROR_CODES } from '../../lib/errors/index.ts'
import { type Locale, type MessageParams, translate } from '../../lib/i18n/index.ts'
import { type GuideSection, guideOf } from './guide.ts'
import { operationSection, parameterEntry, samplesView, sharedParameters } from './operation.ts'
import { SAMPLE_LANGUAGES } from './samples.ts'
import { entries, type Html, html, membersOf, nameOfRef, prose, raw, typeOf } from './schema.ts'
import { policyHash, SEARCH } from './search.ts'
import { STYLE } from './style.ts'

/** Nothing may be loaded; the only style and the only script are allowed by their hashes. */
export const POLICY = [
  "default-src 'none'",
  `style-src ${policyHash(STYLE)}`,
  `script-src ${policyHash(SEARCH)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The reference as one page, generated from the OpenAPI document; it works without its script. */
export function referencePage(document: OpenApiParts, baseUrl: string): string {
  const { components = {} } = document
  const guide = guideOf(document, baseUrl)
  const groups = groupsOf(document)
  const objects = objectsOf(document)
  const contents = html`${contentsGroup(
    'Guide',
    guide.map(({ id, title }) => html`<a href="#${id}">${title}</a>`),
    true,
  )}${groups.map(({ name, operations }) =>
    contentsGroup(
      name,
      operations.map(
        ({ method, operation }) =>
          html`<a href="#${operation.operationId}">${operation.summary}</a> <span class="verb">${method.toUpperCase()}</span>`,
      ),
    ),
  )}${contentsGroup('Objects', [
    html`<a href="#parameters">Shared parameters</a>`,
    ...objects.map(([name]) => html`<a href="#${name}">${name}</a>`),
  ])}<p><a href="/docs/errors">Error codes</a></p>`
  const main = html`${guide.map(guideSection)}
${groups.map(
  ({ name, operations }) => html`<section class="group"><h2 id="${groupId(name)}">${name}</h2>
${operations.map(({ method, path, operation }) => operationSection(method, path, operation, components, baseUrl))}</section>
`,
)}<section class="group"><h2 id="objects">Objects</h2>
<section data-item id="parameters"><h3>Shared parameters</h3>
<p>Parameters that several endpoints have.</p>
${entries(sharedParameters(components).map(parameterEntry))}</section>
${objects.map(([name, schema]) => objectSection(name, schema))}</section>`
  return layout(document, baseUrl, contents, main, TOOLBAR)
}

const groupId = (name: string) => `group-${name.toLowerCase().replaceAll(' ', '-')}`

function contentsGroup(name: string, items: readonly Html[], open = false): Html {
  return html`<details${open && html` open`}><summary>${name}</summary><ul>
${items.map((item) => html`<li>${item}</li>\n`)}</ul></details>
`
}

/** The endpoints by tag, in the order of the document. */
function groupsOf({ paths = {}, tags = [] }: OpenApiParts) {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
  return tags.map(({ name }) => ({
    name,
    operations: all.filter(({ operation }) => operation.tags?.includes(name)),
  }))
}

function guideSection({ id, title, text, samples = [] }: GuideSection): Html {
  return html`<section data-item id="${id}"><h2>${title}</h2>
${prose(text)}${samples.map(samplesView)}</section>
`
}

/** Stays in view: the search, which needs the script, and the language of samples. */
const TOOLBAR = html`<form class="toolbar" role="search">
<label hidden>Search <input id="search" type="search" autocomplete="off" aria-keyshortcuts="/"></label>
<output id="found"></output>
<fieldset><legend>Samples</legend>
${Object.entries(SAMPLE_LANGUAGES).map(
  ([id, name], i) =>
    html`<label><input type="radio" name="samples" id="in-${id}"${i === 0 && html` checked`}> ${name}</label>\n`,
)}</fieldset>
</form>
`

/** Every error code on one page; `locale` is the language of the messages. */
export function errorsPage(document: OpenApiParts, baseUrl: string, locale: Locale): string {
  const contents = html`<ul><li><a href="/docs">Reference</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#details">Field errors</a></li></ul>`
  const main = html`<h2 id="errors">Errors</h2>
<p>All values of <code>error.code</code> with example messages.</p>
${errorCodes(locale)}
<h2 id="details">Field errors</h2>
<p>All values of <code>error.details[].code</code>.</p>
${detailCodes(locale)}`
  return layout(document, baseUrl, contents, main)
}

function layout(
  { info }: OpenApiParts,
  baseUrl: string,
  contents: Html,
  main: Html,
  toolbar?: Html,
): string {
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
${contents}
</nav>
<main>
${toolbar}${main}
</main>
${toolbar && SEARCH_ELEMENT}
</body>
</html>
`)
}

// Not escaped: the hashes are of exactly these bytes.
const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`)
const SEARCH_ELEMENT = raw(`<script>${SEARCH}</script>`)

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
  return html`<section data-item id="${name}"><h3>${name}</h3>
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
