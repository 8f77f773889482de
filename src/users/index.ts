export { type NewUser, PASSWORD_MAX, PASSWORD_MIN, USER_NAME_MAX } from './input.ts'
export { type UserRefusal, UserRefused } from './refused.ts'
export {
  type CreatedUser,
  createUserService,
  type UserService,
  type UserServiceDeps,
} from './service.ts'
