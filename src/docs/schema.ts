import { type Html, html, inline } from './html.ts'

/** The part of JSON Schema that our document makes use of. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  default?: unknown
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** The last part of a `$ref`. */
export function nameOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

/** A table of an object's members. */
export function membersTable(schema: Schema): Html | undefined {
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return undefined
  const required = new Set(schema.required)
  return table(
    ['Field', 'Type', 'Meaning'],
    members.map(([name, member]) => [
      html`<code>${name}</code>${required.has(name) ? html` <span class="dim">required</span>` : ''}`,
      typeOf(member),
      inline(member.description),
    ]),
  )
}

/** A table that can be scrolled where it is too wide. */
export function table(
  heads: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  return html`<div class="scroll" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map(cellOf)}</tr>\n`)}</tbody></table></div>`
}

function cellOf(cell: Html | string): Html {
  if (typeof cell === 'string') return html`<td>${cell}</td>`
  return cell.text.startsWith('<td') ? cell : html`<td>${cell}</td>`
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
    return joined(
      schema.enum.map((value) => html`<code>${String(value)}</code>`),
      ' | ',
    )
  }
  if (schema.items !== undefined) return html`array of ${typeOf(schema.items)}${boundsOf(schema)}`
  const types = [schema.type ?? 'any'].flat().join(' | ')
  return html`${types}${schema.format === undefined ? '' : ` (${schema.format})`}${boundsOf(schema)}`
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html`${separator}${part}`))}`
}

function boundsOf(schema: Schema): Html {
  const { minimum, maximum, maxLength, maxItems } = schema
  const bounds: string[] = []
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) bounds.push(`≥ ${minimum}`)
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) bounds.push(`≤ ${maximum}`)
  if (maxLength !== undefined) bounds.push(`≤ ${maxLength} characters`)
  if (maxItems !== undefined) bounds.push(`≤ ${maxItems} items`)
  if (schema.default !== undefined) bounds.push(`default ${JSON.stringify(schema.default)}`)
  return bounds.length === 0 ? html`` : html` <span class="dim">${bounds.join(', ')}</span>`
}
