/** Modules that scripts/package.ts adds to the executable. */
declare module 'packaged:addon' {
  const path: string
  export default path
}
declare module 'packaged:library' {
  const path: string
  export default path
}
declare module 'packaged:about' {
  const about: { digest: string; libraryName: string }
  export const digest: string
  export const libraryName: string
  export default about
}
