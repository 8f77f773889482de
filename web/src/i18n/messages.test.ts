import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { formatMessage, parseMessage } from './icu.ts'
import { LANGUAGE_NAMES, LOCALES } from './locales.ts'

const FOLDER = join(import.meta.dir, 'messages')
const SOURCES = join(import.meta.dir, '..')

type Messages = Record<string, string>

const filesOf = (language: string) =>
  readdirSync(join(FOLDER, language))
    .filter((name) => name.endsWith('.json'))
    .sort()

function read(language: string, file: string): Messages {
  return JSON.parse(readFileSync(join(FOLDER, language, file), 'utf8')) as Messages
}

function all(language: string): Messages {
  return Object.assign({}, ...filesOf(language).map((file) => read(language, file)))
}

const ENGLISH = all('en')

type Ast = ReturnType<IntlMessageFormat['getAst']>

/** Names of arguments and tags, with their kinds; the options of a `select`, not of a plural. */
function argumentsOf(message: string, language: string): string[] {
  const found = new Set<string>()
  const walk = (nodes: Ast): void => {
    for (const node of nodes) {
      // Kinds of icu-messageformat-parser: 0 text, 1 argument, 2 number, 5 select, 6 plural, 8 tag.
      if (node.type === 8) {
        found.add(`<${node.value}>`)
        walk(node.children)
      } else if (node.type === 5) {
        found.add(`${node.value} select ${Object.keys(node.options).sort().join('|')}`)
        for (const option of Object.values(node.options)) walk(option.value)
      } else if (node.type === 6) {
        found.add(node.value)
        for (const option of Object.values(node.options)) walk(option.value)
      } else if (node.type !== 0 && node.type !== 7) {
        found.add(node.value)
      }
    }
  }
  walk(new IntlMessageFormat(message, language).getAst())
  return [...found].sort()
}

/** Every plural of a message: its kind, and the cases that it has. */
function pluralsOf(message: string, language: string): { ordinal: boolean; cases: string[] }[] {
  const plurals: { ordinal: boolean; cases: string[] }[] = []
  const walk = (nodes: Ast): void => {
    for (const node of nodes) {
      if (node.type === 8) walk(node.children)
      if (node.type !== 5 && node.type !== 6) continue
      if (node.type === 6) {
        plurals.push({
          ordinal: node.pluralType === 'ordinal',
          cases: Object.keys(node.options),
        })
      }
      for (const option of Object.values(node.options)) walk(option.value)
    }
  }
  walk(new IntlMessageFormat(message, language).getAst())
  return plurals
}

test('no Japanese line ends between a number and its counter', () => {
  // Lines break between phrases there, which a common space separates.
  const counted =
    /[\d#}] (?:件|個|回|日|時間|分|年|つ|人|文字|桁|か月|か国|番目|秒|クリック|リクエスト)/
  expect(Object.values(all('ja')).filter((message) => counted.test(message))).toEqual([])
})

test('no line ends between a number and its word', () => {
  // “In the last 30 / days”, “Show old keys / (1)”: a common space lets a narrow column break there.
  const apart = /(?<![\p{L}\d=/.,?])\d+ \p{L}| \(\{count/u
  const found = LOCALES.flatMap((language) =>
    Object.entries(all(language)).filter(([, message]) => apart.test(message)),
  )
  expect(found).toEqual([])
})

test('Japanese and Chinese have brackets of their own width', () => {
  const found = ['ja', 'zh-Hans', 'zh-Hant'].flatMap((language) =>
    Object.entries(all(language)).filter(([, message]) => /[()[\]]/.test(message)),
  )
  expect(found).toEqual([])
})

test('there is a folder for every language, and none for another one', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([...LOCALES].sort())
  expect(Object.keys(LANGUAGE_NAMES)).toEqual([...LOCALES])
})

describe.each(LOCALES.map((language) => [language]))('%s', (language) => {
  test('has exactly the English keys, in the same files and in the same order', () => {
    expect(filesOf(language)).toEqual(filesOf('en'))
    for (const file of filesOf('en')) {
      expect({ file, keys: Object.keys(read(language, file)) }).toEqual({
        file,
        keys: Object.keys(read('en', file)),
      })
    }
  })

  test('has no empty message, and the arguments of the English ones', () => {
    const wrong: unknown[] = []
    for (const [key, text] of Object.entries(all(language))) {
      const english = ENGLISH[key]
      if (english === undefined) continue
      const [has, wants] = [argumentsOf(text, language), argumentsOf(english, 'en')]
      if (text.trim() === '' || !Bun.deepEquals(has, wants)) wrong.push({ key, has, wants })
    }
    expect(wrong).toEqual([])
  })

  test('has every plural case that its numbers need, and none that they never meet', () => {
    const wrong: unknown[] = []
    for (const [key, text] of Object.entries(all(language))) {
      for (const { ordinal, cases } of pluralsOf(text, language)) {
        const rules = new Intl.PluralRules(language, { type: ordinal ? 'ordinal' : 'cardinal' })
        const known = rules.resolvedOptions().pluralCategories as string[]
        // `many` of Romance languages is for millions; "other" says it well enough.
        const needed = known.filter((one) => one !== 'many' || !/^(?:es|fr|it|pt)/.test(language))
        const named = cases.filter((one) => !one.startsWith('='))
        // Where `=1` says it, the case for one may be left out.
        const covered = (one: string) =>
          named.includes(one) ||
          (one === 'one' && cases.includes('=1')) ||
          (one === 'zero' && cases.includes('=0')) ||
          (one === 'two' && cases.includes('=2'))
        if (!needed.every(covered) || !named.every((one) => known.includes(one))) {
          wrong.push({ key, cases, needed })
        }
      }
    }
    expect(wrong).toEqual([])
  })

  test('reads alike with our parser and with the full one', () => {
    for (const [key, text] of Object.entries(all(language))) {
      for (const number of [0, 1, 2, 3, 7, 11, 21, 100, 1234.5]) {
        const values: Record<string, unknown> = {}
        for (const name of argumentsOf(text, language)) {
          const tag = /^<(.+)>$/.exec(name)?.[1]
          const select = /^(\S+) select ([^|]+)/.exec(name)
          if (tag !== undefined) values[tag] = (parts: unknown[]) => `[${parts.join('')}]`
          else if (select !== null) values[select[1] as string] = select[2]
          // Ours formats a plain number argument by language; the reference parser needs a format
          // for it.
          else values[name] = new RegExp(`{\\s*${name}\\s*,`).test(text) ? number : `<${number}>`
        }
        const ours = formatMessage(parseMessage(text), values as never, language).join('')
        // In right-to-left languages texts among the values keep their own direction.
        if (language === 'ar') {
          for (const [name, value] of Object.entries(values)) {
            const isText = typeof value === 'string' && value.startsWith('<')
            if (isText) values[name] = `\u2068${value}\u2069`
          }
        }
        const full = new IntlMessageFormat(text, language).format(values as never)
        expect([key, ours]).toEqual([key, [full].flat().join('')])
      }
    }
  })
})

test('Japanese has a space between its own characters and Latin ones or numbers', () => {
  const own = '[\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Han}ー]'
  const tight = new RegExp(`${own}[a-z\\d]|(?:[a-z\\d#]|, number\\})${own}`, 'iu')
  expect(Object.values(all('ja')).filter((message) => tight.test(message))).toEqual([])
})

describe('the program', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|schema\.d\.ts/.test(file))
    .map((file) => readFileSync(join(SOURCES, file), 'utf8'))
  const whole = new Set<string>()
  const parts: RegExp[] = []
  for (const source of sources) {
    for (const [, key] of source.matchAll(/['"]([a-z][\w-]*(?:\.[\w-]+)+)['"]/gi)) {
      whole.add(key as string)
    }
    for (const [, template] of source.matchAll(/`([a-z][\w-]*\.[^`\n]*\$\{[^`\n]*)`/gi)) {
      const pattern = (template as string)
        .split(/\$\{[^}]*\}/)
        .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
        .join('[\\w:-]+(?:\\.[\\w:-]+)*')
      parts.push(new RegExp(`^${pattern}$`))
    }
    // `${METRIC_NAMES[metric]}.hint`: begins with a key.
    for (const [, end] of source.matchAll(/`\$\{[^}`]+\}((?:\.[\w-]+)+)`/g)) {
      parts.push(new RegExp(`${(end as string).replaceAll('.', '\\.')}$`))
    }
  }

  test('uses every message', () => {
    const unused = Object.keys(ENGLISH).filter(
      (key) => !whole.has(key) && !parts.some((part) => part.test(key)),
    )
    expect(unused).toEqual([])
  })

  test('uses no message that isn’t there', () => {
    const first = new Set(Object.keys(ENGLISH).map((key) => key.split('.')[0]))
    const called = new Set<string>()
    for (const source of sources) {
      for (const [, key] of source.matchAll(/\b(?:t|rich)\(\s*'([^']+)'/g))
        called.add(key as string)
    }
    expect([...called].filter((key) => !(key in ENGLISH))).toEqual([])
    expect(first.size).toBeGreaterThan(5)
  })
})
