export { InstancePage } from './page.tsx'
