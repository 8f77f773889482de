export { WORKSPACE_NAME_MAX } from './name.ts'
export { type WorkspaceRefusal, WorkspaceRefused } from './refused.ts'
export {
  createWorkspaceService,
  type Role,
  type Workspace,
  type WorkspaceService,
  type WorkspaceServiceDeps,
} from './service.ts'
