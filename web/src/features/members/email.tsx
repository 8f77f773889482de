/** An address of a mailbox, which breaks before its host where it must. */
export function Email({ address, className }: { address: string; className: string }) {
  const at = address.lastIndexOf('@') + 1
  return (
    <bdi className={`[overflow-wrap:anywhere] ${className}`}>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </bdi>
  )
}
