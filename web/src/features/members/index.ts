export { MembersPage } from './page.tsx'
