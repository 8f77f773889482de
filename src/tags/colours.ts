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

/** The colour of a new tag: the same one for the same name, and grey only where it is chosen. */
export function colourOf(key: string): Colour {
  return COLOURS[Bun.hash.crc32(key) % (COLOURS.length - 1)] as Colour
}
