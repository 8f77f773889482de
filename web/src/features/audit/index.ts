export { AuditPage } from './page.tsx'
