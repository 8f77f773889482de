/** What links and domains are called, which other files know. */
export interface ExportNames {
  /** The ids of links; those that nobody knows any more are missing. */
  links(seqs: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The hosts of all domains, by their number. */
  domains(): Promise<ReadonlyMap<number, string>>
}

/** Nothing has a name. */
export const NO_NAMES: ExportNames = {
  links: async () => new Map(),
  domains: async () => new Map(),
}
