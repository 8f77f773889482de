import { Breakable } from '../../ui/breakable.tsx'

/** An address of a mailbox. */
export function Email({ address, className }: { address: string; className: string }) {
  return (
    <bdi className={`[overflow-wrap:anywhere] ${className}`}>
      <Breakable>{address}</Breakable>
    </bdi>
  )
}
