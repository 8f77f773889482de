/** Files that are imported as text. */
declare module '*.css' {
  const text: string
  export default text
}
declare module '*/icon.svg' {
  const text: string
  export default text
}
