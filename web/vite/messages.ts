import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Plugin } from 'vite'

const PREFIX = 'virtual:messages/'
const FOLDER = join(import.meta.dirname, '../src/i18n/messages')

/**
 * One module a language, `virtual:messages/<language>`: the messages of all its files, and the
 * English ones where it lacks any. So each language is one lazy chunk, while each feature has files
 * of its own. With `parts` it has the messages of these files alone.
 */
export function messages(parts?: readonly string[]): Plugin {
  const isPart = (file: string) => parts === undefined || parts.includes(basename(file, '.json'))
  const files = (language: string) => filesOf(language).filter(isPart)
  const read = (language: string) => readAll(files(language))
  return {
    name: 'slugline-messages',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : null),
    load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return null
      const language = id.slice(PREFIX.length + 1)
      const found = { ...read('en'), ...read(language) }
      for (const file of [...files('en'), ...files(language)]) this.addWatchFile(file)
      // A string that is parsed is quicker to load than an object literal.
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(found))})`
    },
  }
}

function filesOf(language: string): string[] {
  const folder = join(FOLDER, language)
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

/** The messages of a language by key. A key that two files have would hide one of them. */
function readAll(files: readonly string[]): Record<string, string> {
  const all: Record<string, string> = {}
  for (const file of files) {
    for (const [key, text] of Object.entries<string>(JSON.parse(readFileSync(file, 'utf8')))) {
      if (key in all) throw new Error(`${basename(file)}: "${key}" is in another file too`)
      all[key] = text
    }
  }
  return all
}
