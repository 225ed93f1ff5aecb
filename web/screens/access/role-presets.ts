import { accessWords } from '../../words/access.ts'
import type { Permissions } from './permissions.tsx'

const { presetTexts, areas } = accessWords.roles

/** Roles that fit most installations: a start for a new one. */
export const rolePresets: readonly {
  name: string
  description: string
  rawPermissions: Permissions
}[] = [
  {
    ...presetTexts.operator,
    rawPermissions: {
      multipleTransports: ['full'],
      twigtemplates: ['full'],
      email: ['full'],
      queue: ['full'],
      contact: ['full'],
      user: ['view'],
      api: ['view'],
    },
  },
  {
    ...presetTexts.marketer,
    rawPermissions: {
      multipleTransports: ['view'],
      twigtemplates: ['full'],
      email: ['full'],
      contact: ['full'],
    },
  },
  {
    ...presetTexts.reader,
    rawPermissions: Object.fromEntries(Object.keys(areas).map((area) => [area, ['view']])),
  },
]
