/** Text of our own, and the texts that take the place of its parameters. */
export class Sql {
  constructor(
    readonly parts: readonly string[],
    readonly values: readonly string[],
  ) {}

  /** The query and its parameters, as the HTTP interface takes them: `{p0:String}`. */
  render(): { query: string; parameters: Record<string, string> } {
    let query = this.parts[0] as string
    const parameters: Record<string, string> = {}
    this.values.forEach((value, i) => {
      parameters[`p${i}`] = value
      query += `{p${i}:String}${this.parts[i + 1]}`
    })
    return { query, parameters }
  }
}

/** Puts queries together: parts stay parts, texts become parameters, whole numbers stand as they are. */
export function sql(
  texts: TemplateStringsArray,
  ...given: readonly (Sql | string | number)[]
): Sql {
  const parts = [texts[0] as string]
  const values: string[] = []
  const append = (text: string) => parts.push(parts.pop() + text)
  given.forEach((value, i) => {
    if (value instanceof Sql) {
      append(value.parts[0] as string)
      parts.push(...value.parts.slice(1))
      values.push(...value.values)
    } else if (typeof value === 'number') {
      append(whole(value))
    } else {
      values.push(value)
      parts.push('')
    }
    append(texts[i + 1] as string)
  })
  return new Sql(parts, values)
}

/** Text from our own constants: never what came from outside. */
export function raw(text: string): Sql {
  return new Sql([text], [])
}

/** All of them, or `none` when there are none. */
export function join(parts: readonly Sql[], separator: ' AND ' | ' OR ' | ', ', none = ''): Sql {
  const [first, ...others] = parts
  if (first === undefined) return raw(none)
  return others.reduce((all, part) => sql`${all}${raw(separator)}${part}`, first)
}

/** Whole numbers, separated by commas; a thousand million of them are still one literal. */
export function numbers(values: readonly number[]): Sql {
  return raw(values.map(whole).join(','))
}

function whole(value: number): string {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`)
  return String(value)
}
