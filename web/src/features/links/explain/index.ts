export { ExplainDialog } from './dialog.tsx'
