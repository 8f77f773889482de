/** Copies a text. Also without the Clipboard API, on plain http. */
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
  // In an open dialog everything outside is inert, and can't be selected.
  const parent = before?.closest('[role="dialog"],[role="alertdialog"]') ?? document.body
  parent.append(area)
  area.select()
  // Deprecated, but the only way without TLS.
  const done = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return done
}
