export { SharesPage } from './page.tsx'
