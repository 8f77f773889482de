import { expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import {
  isBindingElement,
  isInterfaceDeclaration,
  isObjectBindingPattern,
  isPropertyAccessExpression,
  isPropertySignatureDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast'
import { API, type Project, type Symbol as TypeSymbol } from 'typescript/unstable/async'
import openapi from '../../../openapi.json'
import dashboard from '../../openapi.json'

const WEB = resolve(import.meta.dir, '../..')
const SCHEMA = join(import.meta.dir, 'schema.d.ts')

/**
 * Fields of responses that no code reads by name, with the reason. A field that belongs to none of
 * these was probably forgotten: show it, or say here why not.
 */
const UNREAD: Readonly<Record<string, readonly RegExp[]>> = {
  'a helper reads all pages': [
    /^\w+List\.(?:data|pagination)$/,
    /^LinkHistory\.(?:data|pagination)$/,
    /^Pagination\./,
    /^LinkList\.pagination\.(?:limit|page)$/,
  ],
  'read by a variable name': [
    /^PlanLimits\./,
    /^Usage\.used\./,
    /^RuleConditions\./,
    /^Link\.utm(?:\.|$)/,
    /^LinkHistoryEntry\.changes\.(?:from|to)$/,
    /^(?:Stats\.(?:totals|series)|StatsBucket)\./,
  ],
  'read with a type of its own': [
    /^SharedAccess\./,
    /^SharedAbout\.(?:dimensions|show)$/,
    /^SharedTopList(?:\.(?:data|other)|Item\.)/,
    /^TopList\.data\.(?:bots|title)$/,
    /^TopList(?:\.other|Other)\./,
    /^LinkBulk(?:Result|Fault)\./,
    /^Job\.result\./,
    /^Logo\.updated_at$/,
    /^AccountUser\.email_verified$/,
    /^(?:Account|Joined)\.user$/,
    /^Joined\.workspace$/,
    /^Workspace\.(?:created_at|plan|slug_\w+)$/,
    /^OwnWorkspace\.(?:language|plan)$/,
  ],
  'for programs: the dashboard shows its sentence, name or place instead': [
    /\.code$/,
    /^(?:Domain|Folder|Share|Tag|UtmTemplate|View|Webhook)\.version$/,
    /^ApiIndex\./,
    /^Me(?:Key|Plan|Workspace)?\./,
    /^Domain\.verification\.type$/,
    /^DomainSetup\.(?:checked_at|host|verification)(?:\.|$)/,
    /^AuditEntry\.group$/,
    /^Event(?:List)?\./,
    /^Webhook(?:DeliveriesMade\.data|EventTypeList\.data\.(?:sample|schema))$/,
    /^ExplainStep\.(?:actual|expected)$/,
    /^ImportRow\.(?:reasons\.field|undo)$/,
    /^Instance\.languages$/,
    /^Share\.subject\.workspace$/,
    /^Stats\.(?:from|to|timezone)$/,
    /^DeletedLink\.(?:deleted_at|domain|short_url|slug)$/,
    /^ApiKey\.(?:revoked_at|rotated_from|created_by\.(?:id|type))$/,
    /^Plan\.default$/,
    /^Block\.(?:link_id|appeals\.)/,
  ],
  'not worth a place: times of small objects, and details that lists and reports have': [
    /^(?:Domain|Folder|Share|Tag|UtmTemplate|View)\.(?:created|updated)_at$/,
    /^Webhook\.updated_at$/,
    /^Job\.started_at$/,
    /^MissedPath\.first_at$/,
    /^Click\./,
    /^AuditEntry\.request_id$/,
    /^InstanceWorkspace\.(?:addresses|api_keys|language|require_two_factor)$/,
  ],
}

test('every field of a response is shown somewhere, or has a reason not to be', async () => {
  const api = new API({ cwd: WEB })
  try {
    const config = join(WEB, 'tsconfig.json')
    const snapshot = await api.updateSnapshot({ openProjects: [config] })
    const project = snapshot.getProject(config)
    const schema = await project?.program.getSourceFile(SCHEMA)
    if (project === undefined || schema === undefined) throw new Error('web/ is no project')
    const fields = fieldsOf(schema)
    for (const name of await project.program.getSourceFileNames()) {
      if (!name.startsWith(join(WEB, 'src')) || /\.(?:d|test)\.tsx?$/.test(name)) continue
      const file = await project.program.getSourceFile(name)
      if (file === undefined) continue
      for (const position of await readIn(file, project)) fields.delete(position)
    }
    const unread = [...fields.values()].sort()
    const known = Object.values(UNREAD).flat()
    expect(unread.filter((field) => !known.some((one) => one.test(field)))).toEqual([])
    // An exception that nothing needs any more.
    expect(known.filter((one) => !unread.some((field) => one.test(field)))).toEqual([])
  } finally {
    await api.close()
  }
}, 120_000)

/** The fields of all schemas that are part of a response, by the position of their declaration. */
function fieldsOf(schema: SourceFile): Map<number, string> {
  const inResponses = responseSchemas()
  const fields = new Map<number, string>()
  const visit = (node: Node, path: readonly string[]): void => {
    const name = isPropertySignatureDeclaration(node) ? node.name.getText(schema) : undefined
    const within = name === undefined ? path : [...path, name]
    if (name !== undefined && path[0] !== undefined && inResponses.has(path[0])) {
      fields.set(node.pos, within.join('.'))
    }
    node.forEachChild((child) => visit(child, within))
  }
  schema.forEachChild((node) => {
    if (!isInterfaceDeclaration(node) || node.name.text !== 'components') return
    for (const part of node.members) {
      if (isPropertySignatureDeclaration(part) && part.name.getText(schema) === 'schemas') {
        part.forEachChild((child) => visit(child, []))
      }
    }
  })
  return fields
}

/** The names of schemas that responses consist of. */
function responseSchemas(): Set<string> {
  const found = new Set<string>()
  for (const { paths, components } of [openapi, dashboard]) {
    const follow = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, inner] of Object.entries(value)) {
        if (key !== '$ref') follow(inner)
        else {
          const name = String(inner).split('/').at(-1) as string
          if (found.has(name)) continue
          found.add(name)
          follow((components.schemas as Record<string, unknown>)[name])
        }
      }
    }
    for (const methods of Object.values(paths)) {
      for (const operation of Object.values(methods as object)) {
        const { responses = {} } = operation as { responses?: Record<string, unknown> }
        for (const [status, response] of Object.entries(responses)) {
          if (status.startsWith('2')) follow(response)
        }
      }
    }
  }
  return found
}

/** The positions of the fields in schema.d.ts that a file reads: `a.b`, or `{ b }` of an object. */
async function readIn(file: SourceFile, { checker }: Project): Promise<number[]> {
  const names: Node[] = []
  const patterns: { pattern: Node; taken: string[] }[] = []
  const visit = (node: Node): void => {
    if (isPropertyAccessExpression(node)) names.push(node.name)
    if (isObjectBindingPattern(node)) {
      const taken = node.elements
        .filter(isBindingElement)
        .filter(({ dotDotDotToken }) => dotDotDotToken === undefined)
        .map(({ propertyName, name }) => (propertyName ?? name)?.getText(file) ?? '')
      patterns.push({ pattern: node, taken })
    }
    node.forEachChild(visit)
  }
  visit(file)
  const symbols: (TypeSymbol | undefined)[] =
    names.length === 0 ? [] : await checker.getSymbolAtLocation(names)
  for (const { pattern, taken } of patterns) {
    const type = await checker.getTypeAtLocation(pattern)
    if (type === undefined) continue
    for (const name of taken) symbols.push(await checker.getPropertyOfType(type, name))
  }
  const positions: number[] = []
  for (const handle of symbols.flatMap((one) => one?.declarations ?? [])) {
    if (handle.path.toLowerCase() !== SCHEMA.toLowerCase()) continue
    const node = await handle.resolve()
    if (node !== undefined) positions.push(node.pos)
  }
  return positions
}
