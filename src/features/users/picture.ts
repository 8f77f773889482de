/** The URL of a person's picture, which changes with the picture; null: there is none. */
export function pictureUrl(userId: string, digest: string | null): string | null {
  return digest && `/app/api/v1/people/${userId}/picture?v=${digest}`
}
