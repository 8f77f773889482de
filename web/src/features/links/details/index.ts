export { LinkPage } from './page.tsx'
