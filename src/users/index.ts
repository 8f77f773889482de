export {
  assertNotCommon,
  hashPassword,
  type NewUser,
  PASSWORD_MAX,
  PASSWORD_MIN,
  USER_NAME_MAX,
  verifyPassword,
} from './input.ts'
export {
  type CheckedUser,
  type CreatedUser,
  createUserService,
  type UserService,
  type UserServiceDeps,
} from './service.ts'
export { hasUsers, holdUser, lockUsers } from './store.ts'
