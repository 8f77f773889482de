export { ImportPage } from './page.tsx'
