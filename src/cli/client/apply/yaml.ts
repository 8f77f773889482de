import {
  type Document,
  isMap,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'

/** A link as it was written, and its line, from 1. */
export interface Entry {
  value: unknown
  line: number
}

/** A text isn't YAML, or declares something else than links. */
export class UnreadableYaml extends Error {
  override name = 'UnreadableYaml'
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message)
  }
}

/** Nesting that the parser would take very long for. */
const TOO_DEEP = /(?:[[{]\s*){100}/

/**
 * The links of a text in YAML or JSON, which is YAML: documents with `links`, lists of links, or single
 * links. Bun's own parser gives no line numbers, and keeps the last of two members with the same name.
 * @throws UnreadableYaml
 */
export function readEntries(text: string): Entry[] {
  if (TOO_DEEP.test(text)) throw new UnreadableYaml('Nested too deeply', 1)
  const lineCounter = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter, merge: true, prettyErrors: false })
  const lineAt = (offset: number) => lineCounter.linePos(offset).line
  return [documents].flat().flatMap((document) => {
    const [error] = document.errors
    if (error !== undefined) throw new UnreadableYaml(error.message, lineAt(error.pos[0]))
    return entriesOf(document as Document.Parsed, lineAt)
  })
}

function entriesOf(document: Document.Parsed, lineAt: (offset: number) => number): Entry[] {
  const root = document.contents
  if (root === null) return []
  // The size of what aliases make is checked where it is used.
  const value: unknown = document.toJS({ maxAliasCount: -1 })
  if (value === null) return []
  const startOf = (node: unknown) => lineAt((node as { range?: number[] } | null)?.range?.[0] ?? 0)
  const listed = (list: YAMLSeq, values: unknown): Entry[] =>
    (values as unknown[]).map((each, i) => ({ value: each, line: startOf(list.items[i]) }))
  if (isSeq(root)) return listed(root, value)
  const line = startOf(root)
  if (!isMap(root) || !root.has('links')) return [{ value, line }]
  const { links, ...others } = value as Record<string, unknown>
  // `x-` is for what anchors are about.
  const unknown = Object.keys(others).find((name) => !name.startsWith('x-'))
  if (unknown !== undefined) throw new UnreadableYaml(`“${unknown}” is unknown beside links`, line)
  if (links === null) return []
  const list = (root as YAMLMap).get('links', true)
  if (isSeq(list)) return listed(list, links)
  throw new UnreadableYaml('links is not a list', line)
}
