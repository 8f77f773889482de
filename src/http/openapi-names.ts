import { type OpenApiParts, pascal, type Schema, singular } from './openapi-share.ts'

type Schemas = Record<string, Schema>

const REF = '#/components/schemas/'

/**
 * Gives names to what generators would number: objects and enums inside of schemas, and unions,
 * become components, named by their parent and member: `LinkSocial`. What two members share has one
 * name. Compositions (`allOf`) become one object, because generators misread them. Modifies the
 * document, and returns it.
 */
export function nameSchemas<D extends object>(document: D): D {
  const { components } = document as unknown as OpenApiParts
  const schemas = components?.schemas ?? {}
  const isClosed = ([, schema]: [string, Schema]) => schema.additionalProperties === false
  // Parts of responses before those of requests, which get the longer name.
  const registered = Object.entries(schemas).sort((a, b) => +isClosed(a) - +isClosed(b))
  const names = registered.map(([name]) => name)
  for (const [name, schema] of registered) {
    schemas[name] = new Parts(name, schemas, names).inside(composed(schema, schemas))
  }
  return document
}

/** A schema without `allOf`: an object with all members, or a reference. */
function composed(schema: Schema, schemas: Schemas): Schema {
  if (schema.allOf === undefined) return schema
  const { allOf, ...own } = schema
  const parts = allOf.map((part) => composed(part, schemas))
  const meaning = Object.assign({}, ...parts.filter((part) => part.$ref === undefined), own)
  const reference = parts.find((part) => part.$ref !== undefined)
  if (reference !== undefined && !('properties' in meaning)) return { ...meaning, ...reference }
  const whole = parts.map((part) =>
    part.$ref === undefined ? part : composed(schemas[part.$ref.slice(REF.length)] ?? {}, schemas),
  )
  return {
    ...meaning,
    type: 'object',
    properties: Object.assign({}, ...whole.map(({ properties }) => properties)),
    required: [...new Set(whole.flatMap(({ required = [] }) => required))],
  }
}

/** Names the parts of one component. */
class Parts {
  /** Without `Create`, `Patch` and `Input`: what such bodies have in common has one name. */
  readonly #base: string

  constructor(
    readonly name: string,
    readonly schemas: Schemas,
    readonly registered: readonly string[],
  ) {
    this.#base = name.replace(/(?<=.)(Create|Patch|Input)$/, '')
  }

  /** A schema whose parts have names. */
  inside(schema: Schema): Schema {
    const { properties, items, additionalProperties: others, anyOf, oneOf } = schema
    const choices = (list: Schema[]) => list.map((one) => this.#named(one, choiceOf(one)))
    return {
      ...schema,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([key, value]) => [
            key,
            this.#named(value, wordOf(key, value)),
          ]),
        ),
      }),
      ...(items !== undefined && { items: this.#named(items, 'Item') }),
      ...(typeof others === 'object' && { additionalProperties: this.#named(others, 'Value') }),
      ...(anyOf !== undefined && { anyOf: choices(anyOf) }),
      ...(oneOf !== undefined && { oneOf: choices(oneOf) }),
    }
  }

  /** A reference to an object, enum or union, or another schema whose parts have names. */
  #named(raw: Schema, word: string, isChoice = false): Schema {
    const schema = composed(raw, this.schemas)
    const types = [schema.type ?? []].flat()
    const choices = schema.anyOf ?? schema.oneOf
    if (types.includes('array') && schema.items !== undefined) {
      return { ...schema, items: this.#named(schema.items, singular(word)) }
    }
    const others = choices?.filter(({ type }) => type !== 'null') ?? []
    if (choices !== undefined && others.length === 1) {
      // Only nullable.
      const one = this.#named(others[0] as Schema, word, true)
      return { ...schema, anyOf: [one, { type: 'null' }] }
    }
    const isObject = types.includes('object')
    // The one value that distinguishes a choice of a union needs no name.
    const isEnum = (schema.enum ?? []).length > (isChoice ? 0 : 1)
    if (!isObject && !isEnum && choices === undefined) {
      return new Parts(`${this.#base}${word}`, this.schemas, this.registered).inside(schema)
    }
    const { description, default: standard, example, ...rest } = schema
    const isNullable = types.includes('null') || others.length < (choices ?? []).length
    const $ref = this.#component(isNullable ? withoutNull(rest) : rest, word)
    return {
      ...(isNullable ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref }),
      ...(description !== undefined && { description }),
      ...(standard !== undefined && { default: standard }),
      ...(example !== undefined && { example }),
    }
  }

  /** Adds a component under the first name that is free or has the same schema. */
  #component(schema: Schema, word: string): string {
    // Go's constants of two equal lists of values would have the same names.
    const alike = schema.enum === undefined ? [] : Object.keys(this.schemas)
    const copied = [...this.registered, ...alike.filter((name) => name.endsWith(word))].find(
      (name) => isSame(this.schemas[name] as Schema, schema),
    )
    if (copied !== undefined) return `${REF}${copied}`
    const names = [`${this.#base}${word}`, `${this.#base}${word}Input`, `${this.name}${word}`]
    for (const name of names) {
      const other = this.schemas[name]
      const trial = new Parts(name, { ...this.schemas }, this.registered)
      if (other !== undefined && !isSame(other, trial.inside(schema))) continue
      this.schemas[name] ??= new Parts(name, this.schemas, this.registered).inside(schema)
      return `${REF}${name}`
    }
    throw new Error(`${names.join(', ')} are other schemas`)
  }
}

/** The word for a member. What excludes values has the same schema as what includes them. */
function wordOf(key: string, { items }: Schema): string {
  return key === 'data' && items !== undefined ? 'Item' : pascal(key.replace(/^not_/, ''))
}

/** The word for a choice of a union: its title, or its type. */
function choiceOf({ title, type }: Schema): string {
  return pascal(title ?? [type ?? 'value'].flat()[0] ?? '')
}

function withoutNull({ type, anyOf, oneOf, ...rest }: Schema): Schema {
  const isNull = (one: Schema) => one.type === 'null'
  return {
    ...rest,
    ...(type !== undefined && { type: [type].flat().find((one) => one !== 'null') as string }),
    ...(anyOf !== undefined && { anyOf: anyOf.filter((one) => !isNull(one)) }),
    ...(oneOf !== undefined && { oneOf: oneOf.filter((one) => !isNull(one)) }),
  }
}

/** Whether schemas differ at most in what they mean. */
function isSame(a: Schema, b: Schema): boolean {
  const plain = ({ description: _, example: _example, ...rest }: Schema) => rest
  return Bun.deepEquals(plain(a), plain(b))
}
