/** Lines of columns that stand under their titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows]
  const widths = titles.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ''))),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Lines of a name and its value. */
export function facts(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => Bun.stringWidth(name)))
  return pairs.map(([name, value]) => `${pad(name, width)}  ${value}`).join('\n')
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(width - Bun.stringWidth(text))
}
