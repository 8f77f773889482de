import { html } from 'hono/html'
import type { Schema } from '../../http/openapi-share.ts'
import { direction, type Locale } from '../../lib/i18n/index.ts'

export { html, raw } from 'hono/html'

/** Markup; values in a template are escaped unless they are markup. */
export type Html = ReturnType<typeof html>

/** Renders the Markdown that we use: paragraphs, and code in backticks. */
export function prose(markdown: string | undefined): Html | undefined {
  if (markdown === undefined) return undefined
  return html`${markdown.split('\n\n').map((text) => html`<p>${inline(text)}</p>\n`)}`
}

/** One line of such text. */
export function inline(markdown = ''): Html {
  const parts = markdown.split('`')
  return html`${parts.map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** The last part of a `$ref`. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** An item of a definition list. */
export interface Entry {
  name: Html
  /** Its type, in a few words. */
  kind?: Html | string | undefined
  meaning: Html | string
  /** The language of the meaning; English if absent. */
  locale?: Locale
}

/** A definition list; in one column on narrow pages. */
export function entries(list: readonly Entry[]): Html {
  return html`<dl>\n${list.map(entry)}</dl>`
}

function entry({ name, kind, meaning, locale }: Entry): Html {
  const aside = kind !== undefined && html` <span class="dim">${kind}</span>`
  const language = locale !== undefined && html` lang="${locale}" dir="${direction(locale)}"`
  return html`<div><dt>${name}${aside}</dt><dd${language}>${meaning}</dd></div>\n`
}

/** Which members are marked: the required ones of a request, or the optional ones of a response. */
type Marked = 'required' | 'optional'

/** The members of an object and its nested objects; undefined: not an object. */
export function membersOf(schema: Schema, marked: Marked): Html | undefined {
  const list = flatten(schema, marked, '')
  return list.length === 0 ? undefined : entries(list)
}

function flatten(schema: Schema, marked: Marked, prefix: string): Entry[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const isMarked = required.has(name) === (marked === 'required')
    const own: Entry = {
      name: html`<code>${path}</code>`,
      kind: html`${typeOf(member)}${isMarked && `, ${marked}`}`,
      meaning: inline(member.description),
    }
    const inner = flatten(member, marked, `${path}.`)
    // Nested members already show that it is an object.
    const isPlain = inner.length > 0 && member.description === undefined && !isMarked
    return isPlain ? inner : [own, ...inner]
  })
}

/** The type of a value, in a few words. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref)
    return html`<a href="#${name}">${name}</a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ')
  if (schema.allOf !== undefined) return joined(schema.allOf.map(typeOf), ' and ')
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values !== undefined) {
    return html`${joined(
      values.map((value) => html`<code>${String(value)}</code>`),
      ' | ',
    )}${boundsOf(schema)}`
  }
  if (schema.items !== undefined) return html`list of ${itemsOf(schema.items)}${boundsOf(schema)}`
  if (schema.type === 'null') return html`null`
  const types = [schema.type ?? 'any'].flat()
  const named = types
    .filter((type) => type !== 'null')
    .map((type) => (type === 'integer' ? type : (schema.format ?? type)))
  return html`${named.join(' | ')}${boundsOf(schema)}${types.includes('null') && ', or null'}`
}

function itemsOf(schema: Schema): Html {
  if (typeof schema.type !== 'string' || schema.enum !== undefined) return typeOf(schema)
  return html`${schema.type}s${boundsOf(schema).replace(/^, /, ', each ')}`
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html`${separator}${part}`))}`
}

function boundsOf(schema: Schema): string {
  const { minimum, maximum, maxLength, maxItems } = schema
  const bounds: string[] = []
  const isAtLeast = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER
  const isAtMost = maximum !== undefined && maximum < 2 ** 31
  if (isAtLeast && isAtMost) bounds.push(`${minimum} to ${maximum}`)
  else if (isAtLeast && minimum > 0) bounds.push(`from ${minimum}`)
  else if (isAtMost) bounds.push(`up to ${maximum}`)
  if (maxLength !== undefined) bounds.push(`up to ${maxLength} characters`)
  if (maxItems !== undefined) bounds.push(`up to ${maxItems} items`)
  if (schema.default !== undefined) bounds.push(`default ${String(schema.default)}`)
  return bounds.map((bound) => `, ${bound}`).join('')
}
