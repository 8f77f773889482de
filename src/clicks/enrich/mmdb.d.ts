/** Imported with `{ type: 'file' }`: the path of the file, also inside a packaged executable. */
declare module '*.mmdb' {
  const path: string
  export default path
}
