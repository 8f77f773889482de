/** Writes text: to a stream, or to a test's list. */
export type Output = (text: string) => void

/** The reader may have gone (`slugline keys list | head -1`), which is no reason to fail. */
function writerOf(stream: () => NodeJS.WriteStream): Output {
  let guarded = false
  return (text) => {
    const out = stream()
    if (!guarded) out.on('error', () => {})
    guarded = true
    out.write(text)
  }
}

/** Writes a command's answer. */
export const toStdout: Output = writerOf(() => process.stdout)

/** Writes what isn't the answer. */
export const toStderr: Output = writerOf(() => process.stderr)
