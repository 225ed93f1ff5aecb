import { words } from './common.ts'
import { counted } from './format.ts'

export const deletedWords = {
  title: words.deleted,
  help: 'Deleted records are erased when their time is over: after 30 days, unless MAILYARD_DELETED_DAYS says otherwise.',
  empty: 'Nothing is deleted.',
  noMatch: 'Nothing deleted matches.',
  search: 'Search the deleted by name',
  by: 'By',
  restore: 'Restore',
  restoreOne: (name: string) => `Restore ${name}`,
  restored: 'Restored',
  erase: 'Erase',
  eraseOne: (name: string) => `Erase ${name}`,
  eraseTitle: (name: string) => `Erase ${name}?`,
  eraseMany: (count: number) => `Erase ${counted(count, 'record')}?`,
  eraseText: 'Erased records cannot be restored.',
  erased: 'Erased',
  reported: 'What changes:',
  inUse: 'In use, and kept unless you choose “Delete anyway”:',
  kept: 'These cannot be deleted:',
  deleteAnyway: 'Delete anyway',
} as const
