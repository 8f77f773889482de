/**
 * The beginnings that spreadsheets take for a formula, some of them also in full width, and the
 * apostrophe that is put before them.
 */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n']/

/** A field of an export without the apostrophe of {@link csvField}. */
export function withoutApostrophe(field: string): string {
  return field.startsWith("'") && FORMULA.test(field.slice(1)) ? field.slice(1) : field
}

/**
 * A field of RFC 4180. The apostrophe keeps spreadsheets from running a visitor's text as a
 * formula; `raw` omits it.
 */
export function csvField(value: string | null, raw = false): string {
  if (value === null) return ''
  const safe = !raw && FORMULA.test(value) ? `'${value}` : value
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
