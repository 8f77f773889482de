/** Where the dashboard finds a person's picture, a new address for a new one; null: there is none. */
export function pictureUrl(userId: string, digest: string | null): string | null {
  return digest && `/app/api/v1/people/${userId}/picture?v=${digest}`
}
