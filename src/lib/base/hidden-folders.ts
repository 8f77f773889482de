/** A reader; without `hiddenFolders` they see everything, as owners and admins do. */
interface Reader {
  readonly hiddenFolders?: readonly string[] | undefined
}

/**
 * Stands for restricted folders that were deleted, in what they leave behind: their deleted links,
 * jobs and tags. Only readers who see everything see these.
 */
export const CLOSED_FOLDER = 'closed'

/** The folders hidden from a reader, for objects that can outlive their folder. */
export function hiddenFrom({ hiddenFolders }: Reader): readonly string[] {
  return hiddenFolders === undefined ? [] : [...hiddenFolders, CLOSED_FOLDER]
}
