import type { PlanLimits } from '../../../model/plans/types.ts'
import type { Writer } from '../../audit/index.ts'
import type { RunnerDeps } from '../runner.ts'

/** Everyone goes on with these limits, and sees what `hidden` leaves them. */
export const permitting =
  (
    limits: Partial<PlanLimits>,
    hidden: () => readonly string[] | undefined = () => undefined,
  ): RunnerDeps['callerOf'] =>
  async (_, { workspaceNo: no, actor }) => {
    const plan = { limits } as Writer['workspace']['plan']
    const workspace = { no, id: `wsp_${no}`, language: null, plan }
    return { workspace, actor, hiddenFolders: hidden() }
  }
