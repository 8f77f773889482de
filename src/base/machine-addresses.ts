import { networkInterfaces } from 'node:os'

/** The addresses of this machine, in all of its networks. */
export function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((cards) =>
    (cards ?? []).map(({ address }) => address),
  )
}
