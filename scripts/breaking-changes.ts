/**
 * Compares `openapi.json` with the document of the last release, `docs/api/released.json`, and exits
 * with 1 if clients of that release would break, naming each change. `--release` makes the current
 * document the released one; see docs/versioning.md.
 */
import { join } from 'node:path'
import { ROOT } from './steps.ts'

// biome-ignore lint/suspicious/noExplicitAny: any part of a document.
type Any = any
/** Who sends a value: clients may not be asked for more, and may not be given less. */
type Direction = 'request' | 'response'

const METHODS = ['get', 'put', 'post', 'patch', 'delete']
/** Bounds of requests that may grow, and those that may shrink. */
const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties']
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties']

/** What would break for a client of an earlier document, one sentence for each change. */
export function breakingChanges(released: Any, current: Any): string[] {
  const found = new Set<string>()
  const seen = new Set<string>()

  function operation(at: string, before: Any, after: Any) {
    if (before.operationId !== after.operationId) {
      found.add(`${at}: renamed operation ${before.operationId} to ${after.operationId}`)
    }
    const isOpen = (one: Any) => JSON.stringify(one)
    const allowed = new Set((after.security ?? []).map(isOpen))
    const isRefused = (before.security ?? []).some((one: Any) => !allowed.has(isOpen(one)))
    if (isRefused || (before.security?.length === 0 && allowed.size > 0)) {
      found.add(`${at}: requires another scope`)
    }
    parameters(at, before.parameters ?? [], after.parameters ?? [])
    body(at, before.requestBody, after.requestBody)
    for (const [status, response] of Object.entries<Any>(before.responses ?? {})) {
      const other = resolved(current, after.responses?.[status])
      if (other === undefined) found.add(`${at}: removed response ${status}`)
      else contents(`${at} ${status}`, resolved(released, response), other, 'response')
    }
  }

  function parameters(at: string, before: Any[], after: Any[]) {
    const key = (one: Any) => `${one.in} parameter ${one.name}`
    const old = new Map(before.map((one) => resolved(released, one)).map((one) => [key(one), one]))
    const now = new Map(after.map((one) => resolved(current, one)).map((one) => [key(one), one]))
    for (const [name, one] of old) {
      const other = now.get(name)
      if (other === undefined) found.add(`${at}: removed ${name}`)
      else schema(`${at} ${name}`, one.schema, other.schema, 'request')
    }
    for (const [name, { required }] of now) {
      if (required && !old.get(name)?.required) found.add(`${at}: ${name} is required`)
    }
  }

  function body(at: string, before: Any, after: Any) {
    if (after?.required && !before?.required) found.add(`${at}: a body is required`)
    if (before !== undefined) contents(`${at} body`, before, after ?? {}, 'request')
  }

  function contents(at: string, before: Any, after: Any, direction: Direction) {
    for (const [type, content] of Object.entries<Any>(before.content ?? {})) {
      const other = after.content?.[type]
      if (other === undefined) found.add(`${at}: removed ${type}`)
      else schema(at, content.schema, other.schema, direction)
    }
  }

  function schema(at: string, before: Any, after: Any, direction: Direction) {
    const id = JSON.stringify([before?.$ref ?? at, after?.$ref, direction])
    if (before === undefined || after === undefined || seen.has(id)) return
    seen.add(id)
    const name = after.$ref?.split('/').at(-1) ?? at
    const old = plain(released, before)
    const now = plain(current, after)
    const [given, accepted] = direction === 'request' ? [old, now] : [now, old]
    const isWider = accepted.types.length === 0 || accepted.types.includes('any')
    const others = given.types.filter((type: string) => !accepted.types.includes(type))
    if (!isWider && (given.types.length === 0 || others.length > 0)) {
      found.add(`${name}: changed type from ${old.types} to ${now.types} in ${direction}s`)
    }
    if (old.format !== now.format && old.format !== undefined) {
      found.add(`${name}: changed format from ${old.format} to ${now.format} in ${direction}s`)
    }
    if (direction === 'request') narrowed(name, old, now)
    members(name, old, now, direction)
    if (old.items !== undefined) schema(`${name}[]`, old.items, now.items, direction)
    if (typeof old.additionalProperties === 'object') {
      schema(`${name}{}`, old.additionalProperties, now.additionalProperties, direction)
    }
    for (const [i, choice] of old.choices.entries()) {
      const same = choice.$ref && now.choices.find((one: Any) => one.$ref === choice.$ref)
      schema(name, choice, same ?? now.choices[i], direction)
    }
  }

  function narrowed(at: string, before: Any, after: Any) {
    if (after.enum !== undefined) {
      const removed = (before.enum ?? ['any other']).filter((one: Any) => !after.enum.includes(one))
      for (const value of removed) found.add(`${at}: removed value ${value} in requests`)
    }
    for (const key of [...UPPER, ...LOWER]) {
      const [old, now] = [before[key], after[key]]
      const isLess = UPPER.includes(key) ? now < (old ?? Infinity) : now > (old ?? -Infinity)
      if (now !== undefined && isLess) found.add(`${at}: ${key} is ${now} instead of ${old}`)
    }
  }

  function members(at: string, before: Any, after: Any, direction: Direction) {
    const [old, now] = [before.properties ?? {}, after.properties ?? {}]
    for (const [key, value] of Object.entries<Any>(old)) {
      const isGone = now[key] === undefined
      if (isGone) found.add(`${at}: removed property ${key} in ${direction}s`)
      else schema(`${at}.${key}`, value, now[key], direction)
    }
    const required = (one: Any): string[] => one.required ?? []
    if (direction === 'request') {
      for (const key of required(after).filter((one) => !required(before).includes(one))) {
        found.add(`${at}: property ${key} is required`)
      }
    } else {
      for (const key of required(before).filter((one) => !required(after).includes(one))) {
        if (now[key] !== undefined) found.add(`${at}: property ${key} may be absent`)
      }
    }
  }

  for (const [path, item] of Object.entries<Any>(released.paths)) {
    for (const method of METHODS.filter((one) => item[one] !== undefined)) {
      const at = `${method.toUpperCase()} ${path}`
      const after = current.paths[path]?.[method]
      if (after === undefined) found.add(`removed ${at}`)
      else operation(at, item[method], after)
    }
  }
  for (const name of Object.keys(released.components?.schemas ?? {})) {
    if (current.components?.schemas?.[name] === undefined) found.add(`removed schema ${name}`)
  }
  return [...found]
}

function resolved(document: Any, part: Any): Any {
  if (part?.$ref === undefined) return part
  return part.$ref
    .slice(2)
    .split('/')
    .reduce((at: Any, key: string) => at?.[key], document)
}

/** A schema with all of its types in one list, also those of a union, and the union's choices. */
function plain(document: Any, part: Any): Any {
  const schema = resolved(document, part) ?? {}
  const union = schema.anyOf ?? schema.oneOf ?? []
  const isNull = (one: Any) => one.type === 'null'
  const choices = union.filter((one: Any) => !isNull(one))
  const types = [schema.type ?? []].flat()
  const all = [...types, ...union.flatMap((one: Any) => plain(document, one).types)]
  if (choices.length !== 1) return { ...schema, types: [...new Set(all)], choices }
  return { ...plain(document, choices[0]), types: [...new Set(all)] }
}

/** A document without what is only for people. */
function bare(value: Any): Any {
  const texts = ['description', 'summary', 'example', 'examples']
  return JSON.parse(
    JSON.stringify(value, (key, member) =>
      texts.includes(key) && (key.startsWith('example') || typeof member === 'string')
        ? undefined
        : member,
    ),
  )
}

if (import.meta.main) {
  const released = join(ROOT, 'docs/api/released.json')
  const current = await Bun.file(join(ROOT, 'openapi.json')).json()
  if (process.argv.includes('--release')) {
    await Bun.write(released, `${JSON.stringify(bare(current))}\n`)
  } else {
    const changes = breakingChanges(await Bun.file(released).json(), current)
    for (const change of changes) console.error(change)
    process.exit(changes.length > 0 ? 1 : 0)
  }
}
