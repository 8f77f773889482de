export { TagsPage } from './page.tsx'
