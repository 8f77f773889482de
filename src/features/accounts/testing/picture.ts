import { PNG } from 'pngjs'

/** A picture of one pixel, in Base64. */
export const DOT = picture(1)

/** A picture of one color, in Base64. */
export function picture(side: number): string {
  return PNG.sync.write(new PNG({ width: side, height: side, fill: true })).toString('base64')
}
