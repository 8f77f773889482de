/** The colours that a tag can have. */
export const COLOURS = [
  'red',
  'orange',
  'yellow',
  'green',
  'teal',
  'blue',
  'indigo',
  'purple',
  'pink',
  'grey',
] as const
export type Colour = (typeof COLOURS)[number]

/** The default colour of a tag, derived from its name; never grey, which can only be chosen. */
export function colourOf(key: string): Colour {
  return COLOURS[Bun.hash.crc32(key) % (COLOURS.length - 1)] as Colour
}
