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

/** A text table with titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows]
  const widths = titles.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  )
  const render = (line: readonly string[]) =>
    line.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ')
  return lines.map((line) => render(line).trimEnd()).join('\n')
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
