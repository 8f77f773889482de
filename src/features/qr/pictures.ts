import { createWorkQueue } from '../../platform/limits/index.ts'

/** The most bytes of pictures in memory. */
const KEPT_BYTES = 16 * 1024 * 1024
const WAITING_MAX = 64

type Picture = Uint8Array<ArrayBuffer>

/**
 * Pictures that take long to draw: one at a time, workspaces in turns, and the latest ones kept. A
 * picture that is being drawn is drawn once.
 */
export function createPictures(keptBytes = KEPT_BYTES) {
  const queue = createWorkQueue(1, WAITING_MAX)
  const drawing = new Map<string, Promise<Picture>>()
  const kept = new Map<string, Picture>()
  let bytes = 0

  function keep(name: string, picture: Picture): void {
    kept.set(name, picture)
    bytes += picture.byteLength
    for (const [oldest, { byteLength }] of kept) {
      if (bytes <= keptBytes) return
      kept.delete(oldest)
      bytes -= byteLength
    }
  }

  return {
    /**
     * @param digest of everything that `draw` depends on
     * @throws AppError SERVICE_UNAVAILABLE when too many wait
     */
    async get(workspaceNo: number, digest: string, draw: () => Promise<Picture>): Promise<Picture> {
      const name = `${workspaceNo} ${digest}`
      const known = kept.get(name)
      if (known !== undefined) {
        // Moved to the end: the first ones are dropped.
        kept.delete(name)
        kept.set(name, known)
        return known
      }
      const begun = drawing.get(name)
      if (begun !== undefined) return begun
      const picture = queue.run(draw, { group: String(workspaceNo) })
      drawing.set(name, picture)
      try {
        const drawn = await picture
        keep(name, drawn)
        return drawn
      } finally {
        drawing.delete(name)
      }
    },
  }
}
