/** The destination of a visit to `{slug}/a/b`, computed like on the server, for plain names. */
export function locationExample(destination: string, forwardPath: boolean, slug: string): string {
  const placed = destination
    .replaceAll('{path}', 'a/b')
    .replaceAll('{path.1}', 'a')
    .replaceAll('{path.2}', 'b')
  const filled = placed.replaceAll('{slug}', slug).replace(/\{path\.\d+\}|\{query\.[\w.~-]+\}/g, '')
  if (!forwardPath || /\{path(?:\.[1-9]\d?)?\}/.test(destination)) return filled
  const end = filled.search(/[?#]/)
  const path = end < 0 ? filled : filled.slice(0, end)
  return `${path}${path.endsWith('/') ? '' : '/'}a/b${end < 0 ? '' : filled.slice(end)}`
}
