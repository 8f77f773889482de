import { useQuery } from '@tanstack/react-query'
import { plansQuery } from './queries.ts'

/** The name of a plan. One that no longer exists has only its id. */
export function PlanName({ id }: { id: string }) {
  const { data, isPending } = useQuery(plansQuery)
  return <bdi>{data?.find((plan) => plan.id === id)?.name ?? (isPending ? '…' : id)}</bdi>
}
