/** An emoji recommended by Unicode, or a single one without its variation selector. */
export const EMOJI = /(?![#*])\p{RGI_Emoji}|[\p{Emoji}--[0-9#*]]\uFE0F?/gv
/** A zero-width (non-)joiner, with the letters around it; of marks as many as any language has. */
const JOINER = /(\p{L}?\p{M}{0,30})([\u200C\u200D])(?=(\p{M}{0,30}\p{L}?))/gu
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u
const ENCODED = /(?:%[0-9a-f]{2})+/gi

/**
 * A text without the zero-width joiners and non-joiners that its script needs: after a virama, or
 * between letters that would be joined (RFC 5892, appendix A.1 and A.2, as the URL parser checks it).
 */
export function withoutNeededJoiners(text: string): string {
  if (!/[\u200C\u200D]/.test(text)) return text
  return text.replace(JOINER, (whole, before: string, joiner: string, after: string) =>
    before !== '' && URL.canParse(`http://${before}${joiner}${after}`) ? before : whole,
  )
}

/**
 * Whether a URL has characters that can't be seen and that its language doesn't need, as they come
 * along with copied text; also percent-encoded.
 */
export function hasInvisible(url: string): boolean {
  const shown = url.replace(ENCODED, decoded)
  // Variation selectors belong to the sign before them.
  const rest = withoutNeededJoiners(shown)
    .replaceAll(EMOJI, '')
    .replaceAll(/[\uFE00-\uFE0F]/g, '')
  return INVISIBLE.test(rest)
}

function decoded(bytes: string): string {
  try {
    return decodeURIComponent(bytes)
  } catch {
    return bytes
  }
}
