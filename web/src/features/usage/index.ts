export { UsagePage } from './page.tsx'
