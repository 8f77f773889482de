import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { CommandError } from '../../context.ts'
import { type Entry, readEntries, UnreadableYaml } from './yaml.ts'

/** A link as a file declares it. */
export interface Declared {
  externalId: string
  /** The named fields, as the API takes them; `folder` also by name. */
  link: Readonly<Record<string, unknown>>
  place: Place
}

/** Where a link is declared; lines from 1. */
export interface Place {
  file: string
  line: number
}

/** A fault of the files. */
interface ValidationIssue extends Place {
  message: string
}

const ENDINGS = ['.yaml', '.yml', '.json']
const FILES_MAX = 1_000
const BYTES_MAX = 8 * 1024 * 1024
const LINKS_MAX = 10_000
/** As in a request. */
const DEPTH_MAX = 32
/** The size of one link and of all: characters of texts and names, and one for each value. */
const LINK_SIZE_MAX = 256 * 1024
const SIZE_MAX = 8 * BYTES_MAX
const FAULTS_MAX = 100

/**
 * The links that files declare. `prefix`: how each external id must begin.
 * @param paths files, `-` for stdin, or directories, of which each file is read that ends in .yaml, .yml or .json
 * @throws CommandError for everything that can be known before the instance is asked
 */
export async function readDeclared(paths: readonly string[], prefix: string): Promise<Declared[]> {
  const files = await filesOf(paths)
  const faults: ValidationIssue[] = []
  const declared = new Map<string, Declared>()
  const budget = { left: SIZE_MAX }
  for (const { file, text } of files) {
    const entries = linksOf(file, text)
    if (declared.size + entries.length > LINKS_MAX) {
      throw new CommandError(`More than ${LINKS_MAX} links are declared`, 2, 'TOO_MANY_LINKS')
    }
    for (const [i, { value: link, line }] of entries.entries()) {
      const id = isObject(link) ? link.external_id : undefined
      const place = { file, line }
      const earlier = typeof id === 'string' ? declared.get(id)?.place : undefined
      const message = faultOf(link, prefix, budget) ?? (earlier && `is also in ${textOf(earlier)}`)
      if (message === undefined) {
        const one = { externalId: id as string, link: link as Declared['link'], place }
        declared.set(one.externalId, one)
      } else if (faults.length < FAULTS_MAX) {
        faults.push({ ...place, message: `${nameOf(id, i)} ${message}` })
      }
    }
  }
  if (faults.length === 0) return [...declared.values()]
  const details = faults.map(({ message, ...place }) => ({ field: textOf(place), message }))
  throw new CommandError('The files can’t be applied', 2, 'INVALID_FILES', details)
}

/** `links.yaml:7` */
export function textOf({ file, line }: Place): string {
  return `${file}:${line}`
}

const nameOf = (id: unknown, i: number) => (typeof id === 'string' ? id : `link ${i + 1}`)

/** The texts of all files; stdin is one, too. @throws CommandError */
async function filesOf(paths: readonly string[]): Promise<{ file: string; text: string }[]> {
  const names = paths.flatMap((path) => (path === '-' ? [path] : namesOf(path)))
  if (names.length > FILES_MAX) throw new CommandError(`More than ${FILES_MAX} files are named`, 2)
  const files = []
  let left = BYTES_MAX
  for (const file of new Set(names)) {
    const blob = file === '-' ? Bun.stdin : Bun.file(file)
    const bytes = []
    for await (const chunk of blob.stream()) {
      left -= chunk.length
      if (left < 0) throw new CommandError(`The files have more than ${BYTES_MAX} bytes`, 2)
      bytes.push(chunk)
    }
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(bytes))
      files.push({ file: file === '-' ? 'stdin' : file, text })
    } catch {
      throw new CommandError(`${file} is not UTF-8`, 2, 'FILE_UNREADABLE')
    }
  }
  return files
}

function namesOf(path: string): string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new CommandError(`File “${path}” not found`, 2)
  if (!stat.isDirectory()) return [path]
  const inside = readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && ENDINGS.includes(extname(entry.name).toLowerCase()))
    .map(({ name }) => join(path, name))
    .sort()
  if (inside.length > 0) return inside
  throw new CommandError(`${path} has no file that ends in ${ENDINGS.join(', ')}`, 2)
}

/** The links that a file declares. @throws CommandError */
function linksOf(file: string, text: string): Entry[] {
  try {
    return readEntries(text)
  } catch (error) {
    if (!(error instanceof UnreadableYaml)) throw error
    const place = textOf({ file, line: error.line })
    const details = [{ field: place, message: error.message }]
    throw new CommandError(`${file} can’t be read`, 2, 'FILE_UNREADABLE', details)
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Why a link can't be sent; its fields are for the instance to check. */
function faultOf(link: unknown, prefix: string, all: { left: number }): string | undefined {
  if (!isObject(link)) return 'is not a link'
  const budget = { left: Math.min(LINK_SIZE_MAX, all.left) }
  const before = budget.left
  const fault = valueFault(link, budget, 0)
  all.left -= before - budget.left
  if (fault !== undefined) return fault
  const { external_id: id, folder, folder_id } = link
  if (id === undefined) return 'has no external_id'
  if (typeof id !== 'string' || id === '') return 'needs text as external_id: put it in quotes'
  if (!id.startsWith(prefix)) return `does not begin with ${prefix}`
  if (folder === undefined) return undefined
  if (folder_id !== undefined) return 'has both folder and folder_id'
  return folder === null || typeof folder === 'string' ? undefined : 'needs text as folder'
}

/** Aliases count as often as they are used: what a few lines of YAML make can be of any size. */
function valueFault(value: unknown, budget: { left: number }, depth: number): string | undefined {
  budget.left -= typeof value === 'string' ? 1 + value.length : 1
  if (budget.left < 0) return 'is too large'
  if (depth > DEPTH_MAX) return 'is nested too deeply'
  // JSON would make null of them, which clears a field.
  if (typeof value === 'number' && !Number.isFinite(value)) return `has ${value}, which is no value`
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    budget.left -= name.length
    const fault = valueFault(item, budget, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
