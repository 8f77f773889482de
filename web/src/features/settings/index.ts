export { AccountPage } from './account/page.tsx'
export { WorkspacePage } from './workspace/page.tsx'
