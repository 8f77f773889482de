export { type NewUser, USER_NAME_MAX } from './input.ts'
export {
  assertNotCommon,
  hashPassword,
  PASSWORD_MAX,
  PASSWORD_MIN,
  verifyPassword,
} from './password.ts'
export {
  type CheckedUser,
  type CreatedUser,
  createUserService,
  type UserService,
  type UserServiceDeps,
} from './service.ts'
export { hasUsers, holdUser, lockUsers } from './store.ts'
