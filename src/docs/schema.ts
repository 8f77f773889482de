import { html } from 'hono/html'
import type { Schema } from '../http/openapi-share.ts'
import { direction, type Locale } from '../i18n/index.ts'

export { html, raw } from 'hono/html'

/** Markup: what is put into a template is escaped, unless it is markup itself. */
export type Html = ReturnType<typeof html>

/** Paragraphs and `## ` headings, with what stands in backticks as code: all our Markdown. */
export function prose(markdown: string | undefined): Html | undefined {
  if (markdown === undefined) return undefined
  return html`${markdown.split('\n\n').map(block)}`
}

function block(text: string): Html {
  if (text.startsWith('## ')) return html`<h3>${inline(text.slice(3))}</h3>\n`
  return html`<p>${inline(text)}</p>\n`
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

/** One thing that a list explains. */
export interface Entry {
  name: Html
  /** What it is, in a few words. */
  kind?: Html | string | undefined
  meaning: Html | string
  /** Of the meaning; English when absent. */
  locale?: Locale
}

/** Names with their meanings; in one column where the page is narrow. */
export function entries(list: readonly Entry[]): Html {
  return html`<dl>\n${list.map(entry)}</dl>`
}

function entry({ name, kind, meaning, locale }: Entry): Html {
  const aside = kind !== undefined && html` <span class="dim">${kind}</span>`
  const language = locale !== undefined && html` lang="${locale}" dir="${direction(locale)}"`
  return html`<div><dt>${name}${aside}</dt><dd${language}>${meaning}</dd></div>\n`
}

/** Which members are marked: those that a request needs, or those that an answer may lack. */
type Marked = 'required' | 'optional'

/** The members of an object and of the objects in it; undefined: it is no object. */
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
    // That something is an object is seen from what is in it.
    const isPlain = inner.length > 0 && member.description === undefined && !isMarked
    return isPlain ? inner : [own, ...inner]
  })
}

/** What a value may be, in a few words. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref)
    return html`<a href="#${name}">${name}</a>`
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ')
  if (schema.allOf !== undefined) return joined(schema.allOf.map(typeOf), ' and ')
  if (schema.enum !== undefined) {
    return html`${joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ' | ',
    )}${boundsOf(schema)}`
  }
  if (schema.items !== undefined) return html`list of ${itemsOf(schema.items)}${boundsOf(schema)}`
  const types = [schema.type ?? 'any'].flat()
  const named = types.filter((type) => type !== 'null').map((type) => schema.format ?? type)
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
