export { CreatePanel, EditPanel } from './panels.tsx'
