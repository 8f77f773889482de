/** Imported with `{ type: 'file' }`: the path of the file, inside a packaged executable too. */
declare module '*.mmdb' {
  const path: string
  export default path
}
