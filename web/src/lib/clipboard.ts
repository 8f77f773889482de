/** Copies a text. Also where the clipboard's own interface is missing: on plain http. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'sr-only'
  // In an open dialog everything outside is inert, and could not be selected.
  const parent = before?.closest('[role="dialog"],[role="alertdialog"]') ?? document.body
  parent.append(area)
  area.select()
  // Deprecated, and the only way without TLS.
  const done = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
