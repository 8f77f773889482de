export { WORKSPACE_NAME_MAX } from './name.ts'
export { personLimits } from './person-limits.ts'
export { createWorkspaceRemoval, type WorkspaceRemoval } from './removal.ts'
export {
  createWorkspaceService,
  type Workspace,
  type WorkspaceService,
  type WorkspaceServiceDeps,
} from './service.ts'
