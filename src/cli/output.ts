/** Writes text: to a stream, or to a test's list. */
export type Output = (text: string) => void

/** The reader may have closed the pipe (`slugline keys list | head -1`), which is not an error. */
function writerOf(stream: () => NodeJS.WriteStream): Output {
  let guarded = false
  return (text) => {
    const out = stream()
    if (!guarded) out.on('error', () => {})
    guarded = true
    out.write(text)
  }
}

/** Writes a command's result. */
export const toStdout: Output = writerOf(() => process.stdout)

/** Writes everything else. */
export const toStderr: Output = writerOf(() => process.stderr)

/** Columns of the terminal; infinite if the output goes elsewhere, where nothing is cut. */
export function terminalWidth(): number {
  const { isTTY, columns } = process.stdout
  return isTTY && columns > 0 ? columns : Number.POSITIVE_INFINITY
}

const GAP = '  '
/** The least that is left of a column. */
const COLUMN_MIN = 8
/** Never cut, because it is what other commands take. */
const UNCUT: ReadonlySet<string> = new Set(['ID', 'KEY'])

/** A text table with titles, whose lines are at most `width` wide. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string {
  const add = growingTable(titles, width)
  return add(...rows)
}

/**
 * Makes the function that renders further rows of a table, the first time with the titles. Columns
 * grow as they need to.
 */
export function growingTable(titles: readonly string[], width: number) {
  const widths = titles.map(() => 0)
  let isBegun = false
  return (...rows: (readonly string[])[]): string => {
    const cells = rows.map((row) => row.map((cell) => printable(cell) || '-'))
    const lines = isBegun ? cells : [titles, ...cells]
    isBegun = true
    for (const [column, before] of widths.entries()) {
      const needed = lines.map((line) => Bun.stringWidth(line[column] ?? ''))
      widths[column] = needed.reduce((most, each) => Math.max(most, each), before)
    }
    const fit = fitted(titles, widths, width)
    const render = (line: readonly string[]) =>
      line.map((cell, column) => pad(cut(cell, fit[column] ?? 0), fit[column] ?? 0)).join(GAP)
    return lines.map((line) => cut(render(line).trimEnd(), width)).join('\n')
  }
}

/** The widths that columns get: the widest ones are narrowed until all fit. */
function fitted(titles: readonly string[], widths: readonly number[], width: number): number[] {
  const fit = titles.map((title, column) => {
    const own = widths[column] ?? 0
    return UNCUT.has(title) ? own : Math.min(own, width)
  })
  const gaps = GAP.length * (titles.length - 1)
  for (let over = fit.reduce((sum, each) => sum + each, gaps) - width; over > 0; over--) {
    let widest = -1
    for (const [column, title] of titles.entries()) {
      if (!UNCUT.has(title) && (fit[column] ?? 0) > (fit[widest] ?? COLUMN_MIN)) widest = column
    }
    if (widest === -1) break
    fit[widest] = (fit[widest] ?? 0) - 1
  }
  return fit
}

const graphemes = new Intl.Segmenter()

/** A text in at most so many columns of a terminal. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(text)) {
    used += Bun.stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return `${kept}…`
}

/** Makes a text safe to print: it must not control the terminal, or the order of what is shown. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '?')
}

/** Lines with a name and its value. */
export function facts(values: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  return Object.entries(values)
    .map(([name, value]) => `${pad(name, width)}  ${value}`)
    .join('\n')
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - Bun.stringWidth(text))
}
