/** What is known of links and domains in other files: what they are called, and their tags. */
export interface LinkFacts {
  /** The ids of links; those that nobody knows any more are missing. */
  links(seqs: readonly number[]): Promise<ReadonlyMap<number, string>>
  /** The links of a workspace that have all these tags (their keys). */
  tagged(workspaceNo: number, tags: readonly string[]): Promise<readonly number[]>
  /** The hosts of all domains, by their number. */
  domains(): Promise<ReadonlyMap<number, string>>
}

/** Nothing has a name or a tag. */
export const NO_FACTS: LinkFacts = {
  links: async () => new Map(),
  tagged: async () => [],
  domains: async () => new Map(),
}
