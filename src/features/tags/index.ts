export { registerTagRoutes } from './routes.ts'
export { createTagService, findTagId, hiddenTags, visibleTags } from './service.ts'
export {
  hasTagWith,
  isTag,
  isTagSeen,
  type NamedTag,
  numbersOfTags,
  tagContains,
  tagsOfNumbers,
} from './store.ts'
export { type TagMaker, takeTags } from './take.ts'
