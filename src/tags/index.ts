export { registerTagRoutes } from './routes.ts'
export { createTagService } from './service.ts'
export {
  hasTagWith,
  isTag,
  type NamedTag,
  numbersOfTags,
  tagContains,
  tagsOfNumbers,
} from './store.ts'
export { type TagMaker, takeTags } from './take.ts'
