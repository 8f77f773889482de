/** The body of a link of about 85 kB, most of them in its variants and rules. */
export function bigLink(more: object = {}) {
  const variant = (n: number) => ({
    id: `v${n}`,
    destination_url: `https://example.com/${n}?${'x'.repeat(7_000)}`,
    weight: 1,
  })
  const split = (n: number) => Array.from({ length: n }, (_, i) => variant(i))
  return {
    destination_url: 'https://example.com/big',
    title: 'Big',
    variants: split(7),
    rules: [{ when: { os: ['iOS'] }, then: { variants: split(5) } }],
    ...more,
  }
}
