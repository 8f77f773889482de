/** The links that an API key is restricted to. A link must be in one of each list that is given. */
export interface Allowed {
  /** Numbers of domains. */
  readonly domains?: readonly number[]
  /** Ids of folders, as links' rows have them. */
  readonly folders?: readonly string[]
  /** Numbers of tags. */
  readonly tags?: readonly number[]
  /** Ids of the keys that made them. */
  readonly creators?: readonly string[]
}

/** What a reader can see of the links of a workspace; without any member: everything. */
export interface View {
  /** Folders whose links they can't see. */
  readonly hiddenFolders?: readonly string[] | undefined
  /** Only these links; absent: the reader isn't restricted. */
  readonly allowed?: Allowed | undefined
}

/** The reader in a workspace, as services need it. */
export interface Reader extends View {
  readonly workspace: { readonly no: number }
}

/** What decides whether a link is seen. */
interface SeenLink {
  readonly folder_id: string | null
  readonly domain_no: number
  /** JSON array of numbers. */
  readonly tag_nos: string
  readonly created_by: string | null
}

/** Whether links can be hidden from a reader. */
export function isPartial({ hiddenFolders = [], allowed }: View): boolean {
  return hiddenFolders.length > 0 || allowed !== undefined
}

/** Only the view of a reader. */
export function viewOf({ hiddenFolders, allowed }: View): View {
  return { ...(hiddenFolders && { hiddenFolders }), ...(allowed && { allowed }) }
}

/** Whether a reader can see a link of their workspace. */
export function sees({ hiddenFolders = [], allowed }: View, link: SeenLink): boolean {
  if (link.folder_id !== null && hiddenFolders.includes(link.folder_id)) return false
  if (allowed === undefined) return true
  const { creators } = allowed
  const isOwn = creators === undefined || creators.includes(link.created_by ?? '')
  return isOwn && outsideOf(allowed, link).length === 0
}

/** The fields by which a link is outside of what a key is restricted to; its creator never changes. */
export function outsideOf(
  { domains, folders, tags }: Allowed,
  link: Omit<SeenLink, 'created_by'>,
): ('domain' | 'folder_id' | 'tags')[] {
  const { folder_id } = link
  return [
    ...(domains?.includes(link.domain_no) === false ? (['domain'] as const) : []),
    ...(folders && (folder_id === null || !folders.includes(folder_id))
      ? (['folder_id'] as const)
      : []),
    ...(tags && !(JSON.parse(link.tag_nos) as number[]).some((no) => tags.includes(no))
      ? (['tags'] as const)
      : []),
  ]
}

/** Whether a reader can see a folder itself. */
export function seesFolder({ hiddenFolders = [], allowed }: View, id: string): boolean {
  return !hiddenFolders.includes(id) && allowed?.folders?.includes(id) !== false
}
