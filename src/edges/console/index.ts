export { tagGroups, tags } from './api-menu.ts'
export { openConsole } from './open-console.ts'
