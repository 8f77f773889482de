/**
 * A field of RFC 4180. The apostrophe keeps spreadsheets from running a visitor's text as a
 * formula; `raw` omits it.
 */
export function csvField(value: string | null, raw = false): string {
  if (value === null) return ''
  const safe = !raw && /^[=+\-@\t\r']/.test(value) ? `'${value}` : value
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
