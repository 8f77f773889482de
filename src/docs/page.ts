import { DETAIL_CODES, ERROR_CODES, ERRORS } from '../errors/index.ts'
import { direction, type Locale, translate } from '../i18n/index.ts'
import { Html, html, prose } from './html.ts'
import { type Components, type Operation, operationSection } from './operation.ts'
import { membersTable, type Schema, table, typeOf } from './schema.ts'
import { STYLE } from './style.ts'

/** What the page reads of an OpenAPI document. */
export interface ReferenceDocument {
  info: { title: string; version: string; description?: string }
  paths?: Record<string, Record<string, Operation>>
  components?: Components
}

/** Nothing may load and nothing may run; the one style is known by its hash. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${new Bun.CryptoHasher('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const METHODS = ['get', 'post', 'patch', 'put', 'delete'] as const

/**
 * The reference as one page without scripts, made from the OpenAPI document itself.
 * `locale` is the language of the tables of error messages.
 */
export function referencePage(
  document: ReferenceDocument,
  baseUrl: string,
  locale: Locale,
): string {
  const { info, components = {} } = document
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method]
      return operation === undefined ? [] : [{ method, path, operation }]
    }),
  )
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title>
${STYLE_ELEMENT}
</head>
<body>
<header>
<h1>${info.title}</h1>
<p class="dim">Version ${info.version} · <code>${baseUrl}</code> · <a href="/openapi.json">openapi.json</a></p>
${prose(info.description)}
</header>
<nav aria-label="Contents">
<ul>
${operations.map(
  ({ method, path, operation }) =>
    html`<li><a href="#${operation.operationId}"><span class="verb">${method.toUpperCase()}</span> ${path}</a></li>\n`,
)}<li><a href="#objects">Objects</a></li>
<li><a href="#errors">Errors</a></li>
</ul>
</nav>
<main>
<h2 id="endpoints">Endpoints</h2>
${operations.map(({ method, path, operation }) => operationSection(method, path, operation, components, baseUrl))}
<h2 id="objects">Objects</h2>
${Object.entries(components.schemas ?? {}).map(([name, schema]) => objectSection(name, schema))}
<h2 id="errors">Errors</h2>
${errorsTable(locale)}
<h3>Codes in <code>error.details</code></h3>
${detailsTable(locale)}
</main>
</body>
</html>
`
  return page.text
}

// Not escaped: the hash is of just these bytes.
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`)

function objectSection(name: string, schema: Schema): Html {
  const values =
    name === 'ErrorCode'
      ? html`<p>One of <a href="#errors">the codes below</a>.</p>`
      : (membersTable(schema) ?? html`<p>${typeOf(schema)}</p>`)
  return html`<section><h3 id="${name}">${name}</h3>${prose(schema.description)}${values}</section>`
}

function errorsTable(locale: Locale): Html {
  return table(
    ['Code', 'Status', 'Message'],
    ERROR_CODES.map((code) => [
      html`<code id="${code}">${code}</code>`,
      String(ERRORS[code].status),
      message(locale, translate(locale, `error.${code}`)),
    ]),
  )
}

function detailsTable(locale: Locale): Html {
  return table(
    ['Code', 'Message'],
    DETAIL_CODES.map((code) => [
      html`<code>${code}</code>`,
      message(locale, translate(locale, `detail.${code}`)),
    ]),
  )
}

function message(locale: Locale, text: string): Html {
  return html`<td lang="${locale}" dir="${direction(locale)}">${text}</td>`
}
